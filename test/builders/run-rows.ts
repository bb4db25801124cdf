import { type GuardRow, newGuardRow, reservationOf } from '#shared/ledger/rows/guard-row.ts';
import { newRunIdPool, type RunIdPoolRow, withLive } from '#shared/ledger/rows/run-id-pool-row.ts';
import { type RunRow, runRowOf, type RunState, type SentStart, startOf } from '#shared/ledger/rows/run-row.ts';

/** The run of these rows. */
export const aRunId = '019ba000-0000-7000-8000-000000000301';

/**
 * A start at ten in the evening that counts as in flight until six and plans no stop; fields over
 * the defaults.
 */
export function aSentStart(fields: Partial<SentStart> = {}): SentStart {
  const effectAt = fields.effectAt ?? '2026-11-20T22:00:00.000Z';
  return {
    startId: 'start-1',
    issuedAt: effectAt,
    firstSentAt: effectAt,
    effectAt,
    until: '2026-11-21T06:00:00.000Z',
    guardName: 'chat-bot',
    approvals: 0,
    ...fields,
  };
}

/** A start that plans its stop for six in the morning. */
export function aStartWithStop(fields: Partial<SentStart> = {}): SentStart {
  return aSentStart({ plannedStop: { at: '2026-11-21T06:00:00.000Z', word: 'stopped' }, ...fields });
}

/** The row of a run of `nightly`; `run: undefined` makes it an unconfigured one. */
export function aRunRow(
  state: RunState,
  identity: { readonly campaignRunId?: string; readonly run?: string | undefined } = {},
): RunRow {
  return runRowOf({ campaignRunId: aRunId, run: 'nightly', ...identity }, state);
}

/** The guard row and the run id pool as the start of a run leaves them. */
export function rowsOfStart(row: RunRow): { readonly guard: GuardRow; readonly pool: RunIdPoolRow } {
  const start = startOf(row);
  if (start === undefined) throw new Error('the run has no start');
  const guard = newGuardRow(start.guardName);
  return {
    guard: { ...guard, reservations: [reservationOf(row.campaignRunId, start)] },
    pool: withLive(newRunIdPool(row.run ?? 'nightly'), row.campaignRunId),
  };
}
