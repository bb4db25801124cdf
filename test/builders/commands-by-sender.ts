import { seedIds } from '#gateway/seed/seed-ids.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { SenderName } from '#shared/messages/command-senders.ts';

/** Commands of each kind that a stage knows, issued at this time; the stops are of a run that no start has taken. */
export function commandsAt(issuedAt: string) {
  const start = { version: 1, action: 'start', run: 'smoke', issuedAt } as const;
  const campaignRunId = seedIds.campaignRuns.nightly[29];
  const stop = { version: 1, action: 'stop', campaignRunId, issuedAt } as const;
  const upload = { kind: 'upload', name: 'datasets/a.csv' } as const;
  const watcher = { kind: 'watcher', name: 'watch-campaigns' } as const;
  const operator = { kind: 'operator', name: 'dana' } as const;
  const override: CampaignRunCommand['override'] = { guards: ['frozen'], reason: 'x' };
  return {
    'of a schedule': { ...start, id: `smoke@${issuedAt}`, origin: { kind: 'schedule', name: 'nights' } },
    'of an upload': { ...start, id: 'upload:0a:smoke', origin: upload },
    'of changed packages': { ...start, id: 'change:vendor:1:smoke', origin: { kind: 'change', name: 'vendor' } },
    'of a changed project': { ...start, id: 'change:projects.app:1:smoke', origin: { kind: 'change', name: 'app' } },
    'of an operator': { ...start, id: 'start:smoke@now#1', origin: operator },
    'of an operator who overrides': { ...start, id: 'start:smoke@now#2', origin: operator, override },
    'to stop, of the watcher': { ...stop, id: 'planned-stop:1', origin: watcher },
    'to stop, of an upload': { ...stop, id: 'upload:0b:smoke', origin: upload },
    'to start, of the watcher': { ...start, id: 'planned-stop:2', origin: watcher },
    'of an upload, with the id of a schedule': { ...start, id: 'nights@1', origin: upload },
  } satisfies Readonly<Record<string, CampaignRunCommand>>;
}

/** A kind of these commands. */
export type CommandKind = keyof ReturnType<typeof commandsAt>;

/** The kinds that each role of the stage sends, if it sends any. */
export const ownKinds: Readonly<Record<SenderName, CommandKind | undefined>> = {
  schedules: 'of a schedule',
  'register-datasets': 'of an upload',
  'poll-scanner-packages': 'of changed packages',
  'watch-projects': 'of a changed project',
  'watch-campaigns': 'to stop, of the watcher',
  'update-campaign-runs': 'to stop, of the watcher',
  'link-tests': undefined,
};
