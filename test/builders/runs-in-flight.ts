import { type InFlight, newTargetRow, type TargetRow, withRuns } from '#shared/ledger/rows/target-row.ts';

/** A run of `nightly` that was started at ten and is to be stopped at six; fields over the defaults. */
export function aRunInFlight(fields: Partial<InFlight> = {}): InFlight {
  return {
    campaignRunId: '019ba000-0000-7000-8000-000000000301',
    run: 'nightly',
    campaign: 'chat-bot',
    campaignId: '019ba000-0000-7000-8000-000000000201',
    startId: 'start-1',
    issuedAt: '2026-11-20T22:00:00.000Z',
    due: '2026-11-20T22:00:00.000Z',
    sentAt: '2026-11-20T22:00:00.000Z',
    endsAt: '2026-11-21T06:00:00.000Z',
    plansStop: true,
    state: 'running',
    unanswered: 0,
    ...fields,
  };
}

/** The row of the target `chat-bot` with these runs in flight. */
export function aTarget(...entries: readonly InFlight[]): TargetRow {
  return withRuns(newTargetRow('chat-bot'), entries);
}
