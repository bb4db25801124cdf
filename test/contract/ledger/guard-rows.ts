import { type GuardItem, ledgerKeys } from '../../../shared/ledger/items.ts';

/** Instants of one evening. */
export const atMinute = (minute: number) => `2026-11-20T22:0${minute}:00.000Z`;

/** A row that says by its command how often it was written. */
export const guard = (name: string, count = 0): GuardItem => ({
  pk: ledgerKeys.guard(name),
  kind: 'guard',
  name,
  inFlight: { campaignRunId: 'run', commandId: `c${count}`, since: atMinute(0), until: atMinute(1) },
});
