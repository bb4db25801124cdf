import { newTargetRow, type TargetRow } from '#shared/ledger/rows/target-row.ts';
import { aRunInFlight } from '../../builders/run-rows.ts';

/** Instants of one evening. */
export const atMinute = (minute: number) => `2026-11-20T22:0${minute}:00.000Z`;

/** A row that says by its start how often it was written. */
export const target = (name: string, count = 0): TargetRow => ({
  ...newTargetRow(name),
  runs: [aRunInFlight({ startId: `c${count}` })],
});
