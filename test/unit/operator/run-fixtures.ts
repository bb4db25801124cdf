import { type RunIdentity, type RunRow, runRowOf, type SentStart } from '#shared/ledger/rows/run-row.ts';
import { aSentStart } from '../../builders/run-rows.ts';

/** A start of half an hour ago that plans no stop; fields over the defaults. */
export function anEveningStart(fields: Partial<SentStart> = {}): SentStart {
  return aSentStart({ effectAt: '2026-11-20T19:30:00.000Z', ...fields });
}

/** What a planned stop of that instant sends. */
export function stopAt(at: string): NonNullable<SentStart['plannedStop']> {
  return { at, word: 'stopped' };
}

/** The row of a run whose start the gateway accepted; unconfigured unless the identity names it. */
export function runningRow(
  campaignRunId: string,
  start: Partial<SentStart> = {},
  identity: Partial<RunIdentity> = {},
): RunRow {
  return runRowOf({ campaignRunId, ...identity }, { state: 'running', start: anEveningStart(start) });
}
