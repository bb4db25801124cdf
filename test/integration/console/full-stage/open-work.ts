/**
 * What is under way: a start in doubt, the command that waits for it, and a start that a blackout
 * deferred.
 */
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { type CommandRow, newCommandRow, waitingRow } from '#shared/ledger/rows/command-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { inFlight, targetRow } from '../../../builders/run-rows.ts';

const minuteMs = 60_000;

/** The start that a blackout deferred. */
export const putOff = 'put-off-by-the-backup';

/** @param now - of the stage */
export function openWork(now: Date): readonly (CommandRow | TargetRow)[] {
  const after = (minutes: number) => new Date(now.getTime() + minutes * minuteMs);
  const doubted = commandOf('in-doubt', 'nightly', after(-2));
  const campaignRunId = seedIds.campaignRuns.nightly[0] ?? '';
  const run = targetRow(
    inFlight({
      campaignRunId,
      startId: doubted.id,
      due: doubted.issuedAt,
      endsAt: after(360).toISOString(),
      campaignId: seedIds.campaigns.chatBotNightly,
      state: 'starting',
      unanswered: 1,
    }),
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
  return [run, { ...waiting, campaignRunId, target: run.target }, putOffRow(now, after(20 * 60))];
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
