import { shortHash } from '#shared/changes/read-config.ts';
import { shortLine } from '#shared/changes/words.ts';
import type { ResolvedProjectWatch } from '#shared/config/resolve/resolved-automation.ts';
import { BadStatusError, type Endpoint, type ListEndpointsResponse } from '#shared/gateway-client/index.ts';
import type { EndpointsLook } from '#shared/ledger/rows/watch-row.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { askGateway } from '../_watch/watched-row.ts';
import { watchNameOf, type ProjectDeps, type ProjectRow } from './watched-project.ts';
import { dayMs } from '#shared/schedule/duration.ts';

/**
 * Once a day reads the deprecated endpoints of the watch and reports those that are still in use.
 * The report is in the row before it is sent.
 * @returns how many; `undefined`: the watch reads none, or has read them today, or the gateway asked for a pause
 * @throws each failure of the gateway but a pause, or that it no longer has such a listing
 */
export async function lookAtEndpoints(
  row: ProjectRow,
  { endpoints: filter }: ResolvedProjectWatch,
  deps: ProjectDeps,
): Promise<number | undefined> {
  const now = deps.now();
  const before = row.current().endpoints;
  if (filter === undefined || before?.readOn === dayOf(now)) return undefined;
  const answer = await askGateway(`${row.current().pk} endpoints`, () => listEndpoints(filter, deps), deps);
  if (answer === undefined) return undefined;

  const { endpoints } = answer;
  const watch = watchNameOf(row);
  await row.write({ ...row.current(), endpoints: endpointsAfter(before, endpoints, { watch, now }) });
  const count = endpoints.length;
  deps.reports.count(metricNames.endpointsInUse, count);
  const says = `${count} deprecated endpoints still in use`;
  deps.reports.log.info(logEvents.endpointsRead, says, { watch, count, ...filter });
  await tellEndpoints(row, deps);
  return count;
}

/**
 * Sends the report that the row holds, under its id, then drops it from the row. If a tick dies
 * between the two, the next one repeats it.
 */
export async function tellEndpoints(row: ProjectRow, { bus, reports }: ProjectDeps): Promise<void> {
  const { endpoints } = row.current();
  if (endpoints?.report === undefined) return;
  const { report, ...known } = endpoints;
  const watch = watchNameOf(row);
  await bus.publish(eventTypes.endpointsStillInUse, { watch, ...report });
  reports.log.info(logEvents.eventPublished, eventTypes.endpointsStillInUse, { eventId: report.eventId, watch });
  await row.write({ ...row.current(), endpoints: known });
}

/**
 * How a gateway says that it has this operation no more. The project was just read from it, so the
 * address is right.
 */
const withdrawn: ReadonlySet<number> = new Set([404, 405, 410, 501]);

async function listEndpoints(
  filter: NonNullable<ResolvedProjectWatch['endpoints']>,
  { gateway }: ProjectDeps,
): Promise<ListEndpointsResponse> {
  try {
    return await gateway.listEndpoints(filter);
  } catch (error) {
    // Nothing that does not exist is in use.
    if (error instanceof BadStatusError && withdrawn.has(error.status)) return { endpoints: [] };
    throw error;
  }
}

/** A list that stays as it is is reported again after this long, so that it is not forgotten. */
const daysBetweenReports = 7;

/** More endpoints than these are counted and not listed. */
const maxListed = 100;

/** The calendar day in UTC: `2026-11-20`. */
function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/**
 * What is known after the endpoints were read. It holds a report if the list differs from the one
 * last reported, or a week has passed. Pure.
 * @param watch - as its schedule is named
 */
function endpointsAfter(
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
  const listed = endpoints
    .slice(0, maxListed)
    .map(({ id, name }) => ({ id: shortLine(id), name: typeof name === 'string' ? shortLine(name) : '' }));
  const eventId = `endpoints:${watch}:${readOn}`;
  const report = { eventId, at: now.toISOString(), count: endpoints.length, endpoints: listed };
  return { readOn, reported: { on: readOn, ids }, report };
}
