import { type GuardRow, newGuardRow } from '#shared/ledger/rows/guard-row.ts';

/** Instants of one evening. */
export const atMinute = (minute: number) => `2026-11-20T22:0${minute}:00.000Z`;

/** A row that says by its start how often it was written. */
export const guard = (name: string, count = 0): GuardRow => ({
  ...newGuardRow(name),
  reservations: [
    { campaignRunId: 'run', startId: `c${count}`, issuedAt: atMinute(0), since: atMinute(0), until: atMinute(1) },
  ],
});
