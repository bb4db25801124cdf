/**
 * What is under way: a start in doubt, the command that waits for it, and a start that a blackout
 * put off.
 */
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { type CommandRow, newCommandRow, waitingRow } from '#shared/ledger/rows/command-row.ts';
import { type RunRow, runRowOf } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aStartWithStop } from '../../../builders/run-rows.ts';

const minuteMs = 60_000;

/** The start that a blackout put off. */
export const putOff = 'put-off-by-the-backup';

/** @param now - of the stage */
export function openWork(now: Date): readonly (CommandRow | RunRow)[] {
  const after = (minutes: number) => new Date(now.getTime() + minutes * minuteMs);
  const doubted = commandOf('in-doubt', 'nightly', after(-2));
  const run = runRowOf(
    { campaignRunId: seedIds.campaignRuns.nightly[0], run: 'nightly' },
    {
      state: 'start-unknown',
      start: aStartWithStop({
        startId: doubted.id,
        effectAt: doubted.issuedAt,
        until: after(360).toISOString(),
        plannedStop: { at: after(360).toISOString(), word: 'stopped' },
        campaignId: seedIds.campaigns.chatBotNightly,
      }),
      landsUntil: after(10).toISOString(),
      requestId: 'r-77',
      httpStatus: 503,
    },
  );
  const waiting = waitingRow(
    newCommandRow(doubted, now),
    {
      delayMs: 10 * minuteMs,
      why: 'PATCH was answered 503',
      failed: { evidence: { httpStatus: 503, requestSent: true } },
    },
    now,
  );
  return [run, { ...waiting, campaignRunId: run.campaignRunId }, putOffRow(now, after(20 * 60))];
}

function putOffRow(now: Date, until: Date): CommandRow {
  return {
    ...newCommandRow(commandOf(putOff, 'smoke', now), now),
    deferred: { from: now.toISOString(), until: until.toISOString(), blackout: 'backup' },
    verdicts: [{ guard: 'blackout', verdict: 'defer', detail: 'the blackout backup covers it' }],
    openState: 'DEFERRED',
    openSince: until.toISOString(),
  };
}

function commandOf(id: string, run: string, at: Date): CampaignRunCommand {
  const origin = { kind: 'schedule', name: 'weeknights' } as const;
  return { version: 1, id, action: 'start', run, issuedAt: at.toISOString(), origin };
}
