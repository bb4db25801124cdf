/**
 * What is under way: a start in doubt, the command that waits for it, and a start that a blackout
 * deferred.
 */
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { type CommandRow, waitingRow } from '#shared/ledger/rows/command-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import { commandRow, inFlight, runCommand, targetRow } from '../../../builders/run-rows.ts';

const minuteMs = 60_000;

/** The start that a blackout deferred. */
export const putOff = 'put-off-by-the-backup';

/** @param now - of the stage */
export function openWork(now: Date): readonly (CommandRow | TargetRow)[] {
  const after = (minutes: number) => new Date(now.getTime() + minutes * minuteMs);
  const doubted = runCommand({ id: 'in-doubt', issuedAt: after(-2).toISOString() });
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
    commandRow(doubted),
    {
      delayMs: 10 * minuteMs,
      why: 'PATCH was answered 503',
      failed: { evidence: { httpStatus: 503, requestSent: true } },
    },
    now,
  );
  const [from, until] = [now.toISOString(), after(20 * 60).toISOString()];
  const deferred = commandRow(runCommand({ id: putOff, run: 'smoke', issuedAt: from }), {
    deferred: { from, until, blackout: 'backup' },
    verdicts: [{ guard: 'blackout', verdict: 'defer', detail: 'the blackout backup covers it' }],
    openState: 'DEFERRED',
    openSince: until,
  });
  return [run, { ...waiting, campaignRunId, target: run.target }, deferred];
}
