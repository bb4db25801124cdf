import { type GuardItem, ledgerKeys } from '../../shared/ledger/items.ts';
import type { StartTimes } from './start-times.ts';

/** Pure transitions of the guard item: which run of a campaign is in flight. */

/** Reserves the guard item for a start. */
export function reserveGuard(
  guard: GuardItem | undefined,
  name: string,
  start: { readonly campaignRunId: string; readonly commandId: string; readonly times: StartTimes },
): GuardItem {
  return {
    ...(guard ?? { pk: ledgerKeys.guard(name), kind: 'guard', name }),
    inFlight: {
      campaignRunId: start.campaignRunId,
      commandId: start.commandId,
      since: start.times.effectAt,
      until: start.times.inFlightUntil,
    },
  };
}

/** The reservation ends. */
export function freeGuard(guard: GuardItem): GuardItem {
  const { inFlight: _inFlight, ...rest } = guard;
  return rest;
}
