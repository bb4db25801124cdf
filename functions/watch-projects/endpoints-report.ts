import { shortHash } from '#shared/changes/read-config.ts';
import type { Endpoint } from '#shared/gateway-client/index.ts';
import type { EndpointsLook } from '#shared/ledger/rows/project-watch-row.ts';
import { shortLine } from '#shared/changes/words.ts';

/** A list that stays as it is is told again after this long, so that nobody forgets it. */
const daysBetweenReports = 7;

/** More endpoints than these are counted and not listed. */
const maxListed = 100;

const dayMs = 86_400_000;

/** The calendar day in UTC: `2026-11-20`. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/**
 * What is known after the endpoints were read: a report where the list is another than the one that was told, or a week has passed. Pure.
 * @param watch - as its schedule is named
 */
export function endpointsAfter(
  before: EndpointsLook | undefined,
  endpoints: readonly Endpoint[],
  { watch, now }: { readonly watch: string; readonly now: Date },
): EndpointsLook {
  const readOn = dayOf(now);
  if (endpoints.length === 0) return { readOn };
  const ids = shortHash(endpoints.map(({ id }) => id));
  const reported = before?.reported;
  const isTold = reported?.ids === ids && Date.parse(readOn) - Date.parse(reported.on) < daysBetweenReports * dayMs;
  if (isTold) return { readOn, reported };
  return {
    readOn,
    reported: { on: readOn, ids },
    report: {
      eventId: `endpoints:${watch}:${readOn}`,
      at: now.toISOString(),
      count: endpoints.length,
      endpoints: endpoints
        .slice(0, maxListed)
        .map(({ id, name }) => ({ id: shortLine(id), name: typeof name === 'string' ? shortLine(name) : '' })),
    },
  };
}
