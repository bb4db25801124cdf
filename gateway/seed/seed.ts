import { type CampaignResource, type CampaignConfig, type CampaignRun, usualCampaign } from '../model/resources.ts';
import { seedIds } from './seed-ids.ts';
import type { Store } from '../store/store.ts';
import { seedEndpoints, seedProjects } from './projects.ts';
import { seedScannerPackages } from './scanner-packages.ts';
import { minuteMs } from '#shared/schedule/duration.ts';

/**
 * All of it or none: a kill half way leaves the database empty, and the next start seeds it again.
 */
export function seed(store: Store): void {
  store.atomically(() => {
    for (const { project, earlier } of seedProjects) {
      store.projects.put(project);
      for (const { at, config } of earlier) store.projectConfigs.record(project.id, new Date(at), config);
      store.projectConfigs.record(project.id, new Date(project.updatedAt), project.config);
    }
    for (const { campaign, earlier } of seedCampaigns) {
      store.campaigns.put(campaign);
      for (const { at, config } of earlier) store.campaignConfigs.record(campaign.id, new Date(at), config);
    }
    for (const run of seedCampaignRuns) store.campaignRuns.put(run);
    for (const scannerPackage of seedScannerPackages()) store.scannerPackages.put(scannerPackage);
    for (const endpoint of seedEndpoints) store.endpoints.put(endpoint);
  });
}

// Red-team campaigns and their scheduled runs: the interface can change a run, not make one.

interface SeedCampaign {
  readonly campaign: CampaignResource;
  readonly earlier: readonly { readonly at: string; readonly config: CampaignConfig }[];
}

const { campaigns, campaignRuns } = seedIds;
const createdAt = '2025-12-01T09:00:00.000Z';
const changedAt = '2026-02-10T14:00:00.000Z';

function attack(name: string, prompts: number) {
  return { name, technique: name.toLowerCase().replaceAll(' ', '-'), prompts };
}

const firstAttacks = [attack('Direct injection', 1200), attack('Role play', 800)];
const presentAttacks = [...firstAttacks, attack('Encoded payload', 950), attack('Data exfiltration', 640)];

function seedCampaign(id: string, name: string, description: string, changes: Partial<CampaignResource>): SeedCampaign {
  const whole: CampaignResource = {
    ...usualCampaign,
    attacks: presentAttacks,
    createdAt,
    description,
    id,
    name,
    ...changes,
  };
  return {
    campaign: whole,
    earlier: [
      { at: createdAt, config: { attacks: firstAttacks, description, name } },
      { at: changedAt, config: { attacks: whole.attacks, description, name } },
    ],
  };
}

/** The campaigns, each with the configurations it has had. */
const seedCampaigns: readonly SeedCampaign[] = [
  seedCampaign(
    campaigns.chatBotNightly,
    'Chat bot nightly red team',
    'Narrow and often: what the chat bot must refuse.',
    {
      lastRun: '019ba000-0000-7000-8000-0000000002ff', // an earlier run, gone from the list by now
      lastRunAt: '2026-02-27T22:00:04.118Z',
      runCount: 41,
    },
  ),
  seedCampaign(campaigns.chatBotSmoke, 'Chat bot smoke test', 'Fifty prompts after every change of a scanner.', {
    attacks: [attack('Direct injection', 50)],
    lastRun: '019ba000-0000-7000-8000-0000000002fe',
    lastRunAt: '2026-02-26T11:42:10.002Z',
    runCount: 9,
  }),
  seedCampaign(
    campaigns.supportMonthly,
    'Support assistant monthly sweep',
    'Wide: every attack family, once a month.',
    {
      lastRun: campaignRuns.monthly[0],
      lastRunAt: '2026-02-01T01:00:00.000Z',
      runCount: 3,
      vendored: true,
    },
  ),
  seedCampaign(
    campaigns.codeHelperJailbreak,
    'Code helper jailbreak watch',
    'Jailbreaks in code comments and commits.',
    {
      attacks: [attack('Jailbreak in comments', 300)],
    },
  ),
];

/** As a user makes them: a night each, so far ahead that none begins before it is moved. */
function scheduledRun(id: string, campaignId: string, name: string, night: number): CampaignRun {
  const startAt = new Date(Date.UTC(2099, 0, night, 22)).toISOString();
  return { id, campaignId, name, status: 'scheduled', preserve: false, startAt };
}

function pool(ids: readonly string[], campaignId: string, name: string): readonly CampaignRun[] {
  return ids.map((id, index) => scheduledRun(id, campaignId, `${name} ${index + 1}`, index + 1));
}

/** The runs; all but one are scheduled. */
const seedCampaignRuns: readonly CampaignRun[] = [
  ...pool(campaignRuns.nightly, campaigns.chatBotNightly, 'nightly'),
  ...pool(campaignRuns.smoke, campaigns.chatBotSmoke, 'smoke'),
  {
    id: campaignRuns.monthly[0],
    campaignId: campaigns.supportMonthly,
    name: 'monthly 2026-02',
    status: 'complete',
    preserve: false,
    startAt: '2026-02-01T01:00:00.000Z',
  },
  scheduledRun(campaignRuns.monthly[1], campaigns.supportMonthly, 'monthly 2026-03', 1),
];

/** How long a run lasts, unless the gateway was given a length. The nightly campaign ends before the example's stop. */
export function usualLengthMs({ campaignId }: Pick<CampaignRun, 'campaignId'>): number {
  return campaignId === campaigns.chatBotNightly ? 420 * minuteMs : 45 * minuteMs;
}
