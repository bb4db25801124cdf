import type { ChangeCalendars } from '#shared/aws/alarms-and-calendars.ts';
import { toError } from '#shared/errors/app-error.ts';
import type { CalendarsRow } from '#shared/ledger/rows/stage-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CalendarReading } from '#shared/schedule/calendars.ts';
import { cappedDetail } from '#shared/ledger/rows/detail.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { WatchDeps } from '../_watch/watch-tick.ts';

/** What is needed to read calendars. */
export type CalendarDeps = Pick<WatchDeps, 'ledger' | 'calendars' | 'now' | 'reports'> & {
  readonly config: Pick<WatchDeps['config'], 'calendars'>;
};

/** States in a row: two closed times ahead, for `plan`. */
const statesAhead = 4;

/** A cause in a row that every start reads. */
const mostProblemBytes = 256;

/** Reads each calendar that a blackout follows, into one row that starts read. One that cannot be read keeps its last reading, which then gets old. */
export async function readCalendars(deps: CalendarDeps): Promise<void> {
  const { ledger, config, calendars } = deps;
  const { calendars: arns = [] } = config;
  if (calendars === undefined || arns.length === 0) return;
  const pk = ledgerKeys.calendars();
  const before = await ledger.read<CalendarsRow>(pk);
  const readings = await Promise.all(
    arns.map(async (arn) => [arn, await readOne(arn, before?.readings[arn], { ...deps, calendars })] as const),
  );
  await ledger.write<CalendarsRow>(before, { pk, kind: 'calendars', readings: Object.fromEntries(readings) });
}

async function readOne(
  arn: string,
  known: CalendarReading | undefined,
  { calendars, now, reports }: CalendarDeps & { readonly calendars: ChangeCalendars },
): Promise<CalendarReading> {
  const at = now();
  try {
    return { readAt: at.toISOString(), closed: await closedFrom(arn, at, calendars) };
  } catch (error) {
    const { message } = toError(error);
    reports.log.warn(logEvents.calendarUnread, `the calendar ${arn} could not be read: ${message}`, { error });
    return { closed: [], ...known, problem: cappedDetail(message, mostProblemBytes) };
  }
}

/** Its closed times, from one change of its state to the next. */
async function closedFrom(arn: string, from: Date, calendars: ChangeCalendars): Promise<CalendarReading['closed']> {
  const closed: { from: string; to?: string }[] = [];
  let at: Date | undefined = from;
  for (let states = 0; states < statesAhead && at !== undefined; states += 1) {
    const { isOpen, changesAt } = await calendars.stateAt(arn, at);
    if (!isOpen) closed.push({ from: at.toISOString(), to: changesAt?.toISOString() });
    at = changesAt !== undefined && changesAt > at ? changesAt : undefined;
  }
  return closed;
}
