/** Calendars that another team keeps: what the last reading of one says about the times of starts. Pure. */
import type { ResolvedBlackout } from './blackouts.ts';

/** What a calendar said when it was read last. */
export interface CalendarReading {
  /** Absent: it was never read. */
  readonly readAt?: string;
  /** Its closed times as far ahead as it was read, in order. Without an end: closed with no end in sight. */
  readonly closed: readonly { readonly from: string; readonly to?: string }[];
  /** Why the last try to read it failed. */
  readonly problem?: string;
}

/** Readings by the ARN of the calendar. */
export type CalendarReadings = Readonly<Record<string, CalendarReading>>;

/** A blackout whose calendar counts as closed, since nothing recent is known of it. */
export interface UnreadCalendar extends Pick<ResolvedBlackout, 'name' | 'campaigns'> {
  readonly why: string;
}

/** A reading is made each minute: this old, five of them have failed. */
const freshForMs = 5 * 60_000;

const farAhead = '9999-12-31T00:00:00.000Z';

/** Blackouts with the closed times of each calendar in the place of its name; and the calendars that nothing recent is known of. */
export function calendarsAsRead(
  blackouts: readonly ResolvedBlackout[],
  readings: CalendarReadings,
  now: Date,
): { readonly blackouts: readonly ResolvedBlackout[]; readonly unread: readonly UnreadCalendar[] } {
  const unread: UnreadCalendar[] = [];
  const read = blackouts.flatMap((blackout): readonly ResolvedBlackout[] => {
    const { window, name, campaigns } = blackout;
    if (window.kind !== 'calendar') return [blackout];
    const { readAt, closed = [], problem = 'it was not read yet' } = readings[window.arn] ?? {};
    if (readAt === undefined || now.getTime() - Date.parse(readAt) > freshForMs) {
      const since = readAt === undefined ? '' : ` since ${readAt}`;
      unread.push({ name, campaigns, why: `the calendar of ${name} counts as closed, unread${since}: ${problem}` });
      return [];
    }
    return closed.map(({ from, to = farAhead }) => ({ ...blackout, window: { kind: 'once', from, to } }));
  });
  return { blackouts: read, unread };
}

/** The calendar files of blackouts, each once, with the end of what they say. */
export function calendarFilesOf(
  blackouts: readonly ResolvedBlackout[],
): { readonly blackout: string; readonly file: string; readonly endsAt: string }[] {
  const files = blackouts.flatMap(({ name, file }) => (file === undefined ? [] : [[name, file] as const]));
  return [...new Map(files)].map(([blackout, { name, endsAt }]) => ({ blackout, file: name, endsAt }));
}

/** The calendars that blackouts follow, each once. */
export function calendarsOf(blackouts: readonly ResolvedBlackout[]): readonly string[] {
  return [...new Set(blackouts.flatMap(({ window }) => (window.kind === 'calendar' ? [window.arn] : [])))];
}
