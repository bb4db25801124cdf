/** The configuration of the full stage: starts every 30 minutes, and two blackouts. */
import { seedIds } from '#gateway/seed/seed-ids.ts';
import type { AutomationDocument } from '#shared/config/automation.ts';

const dayMs = 86_400_000;

/** A date of the stage's zone, which is UTC here. */
function dateOf(instant: Date, days: number): string {
  return new Date(instant.getTime() + days * dayMs).toISOString().slice(0, 10);
}

/** One for each start of two weeks. */
const smokeIds = Array.from(
  { length: 700 },
  (_, index) => `019ba000-0000-7000-9000-${String(index).padStart(12, '0')}`,
);

/** @param now - of the stage: one blackout begins in five days */
export function fullAutomation(now: Date): Omit<AutomationDocument, 'gateway'> {
  return {
    timezone: 'UTC',
    campaigns: {
      'chat-bot': {
        campaignId: seedIds.campaigns.chatBotNightly,
        runs: { nightly: { campaignRunIds: seedIds.campaignRuns.nightly, stopAfter: '6 hours' } },
      },
      'chat-bot-smoke': {
        campaignId: seedIds.campaigns.chatBotSmoke,
        runs: { smoke: { campaignRunIds: smokeIds, stopAfter: '10 minutes' } },
      },
    },
    schedules: [
      { name: 'weeknights', start: 'nightly', at: 'cron(45 21 ? * MON-FRI *)' },
      { name: 'all-day', start: 'smoke', at: 'cron(0/30 * * * ? *)' },
    ],
    blackouts: [
      { name: 'release', from: `${dateOf(now, 5)}T00:00`, to: `${dateOf(now, 6)}T00:00`, starts: 'skip' },
      { name: 'backup', at: 'cron(0 3 * * ? *)', lasts: '1 hour', starts: 'defer' },
    ],
    datasets: [{ prefix: 'datasets/', scannerId: seedIds.scanners.promptInjection, send: 'file' }],
  };
}
