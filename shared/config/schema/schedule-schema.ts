/** Times to start and stop runs at, and times at which nothing is started. */
import * as z from 'zod';
import { readCalendarFile } from './calendar-file.ts';
import type { ReadText } from './ca-bundle.ts';
import { namePattern, nameRule } from './names.ts';
import { section } from './section.ts';
import {
  calendarOf,
  count,
  cron,
  durationBy,
  durationWithin,
  filled,
  instant,
  listOf,
  localDate,
  localTimeSchema,
  nameOf,
  scheduleTime,
  zoneSchema,
} from './value-schemas.ts';

/** A command that waits is given up after a day, and Scheduler tries for as long. */
const missedWithin = durationWithin(24, 'a day, the longest that a start is kept.', '12 hours');

/** The validity and the delay of a command have at most 31 days. */
const inCommand = (example: string) => durationWithin(31 * 24, '31 days, the longest that a command takes.', example);

export const schedule = section(
  {
    /** Names it in EventBridge Scheduler, `autopilot pause` and the ledger. */
    name: nameOf(namePattern, nameRule),
    /** The run to start. @default none: then `stop` */
    start: filled.optional(),
    /** The run to stop. @default none: then `start` */
    stop: filled.optional(),
    /** EventBridge Scheduler expression: `cron(…)`, `rate(…)` or `at(…)`. */
    at: scheduleTime,
    /** IANA zone of `at`. @default the stage's timezone */
    timezone: zoneSchema.optional(),
    /** A start later than this is skipped as MISSED_WINDOW; starts only. */
    validFor: inCommand('30 minutes').prefault('1 hour'),
    /**
     * `'once'`: a start that came too late is made up for once, by the newest occurrence. Its run is then due as it is sent, and overlap and gap
     * are waited for; starts only. @default it is skipped
     */
    missed: z.literal('once').optional(),
    /** How long after its time a missed start is made up for, at most a day. Needs `missed`. */
    missedWithin: missedWithin.prefault('12 hours'),
    /** The PATCH leaves at once and the gateway starts the run this much later (`startAt`); starts only. @default none */
    startDelay: inCommand('15 minutes').optional(),
    /** RFC 3339 instant before which nothing fires; required for a start by `rate()`, which else fires at its creation. @default none */
    startDate: instant.optional(),
    /** Whether it fires. */
    enabled: z.boolean().default(true),
    /** Occurrences in a row without a start after which it rings; starts only. @default notify.silentAfter */
    silentAfter: count.optional(),
  },
  "{ name: 'weeknights', start: 'nightly', at: 'cron(0 22 ? * MON-FRI *)' }",
);

export function blackoutSchema(options: { readonly readText?: ReadText | undefined; readonly now: Date }) {
  // Its zone decides its times, and not if the file can be read.
  const readFile = (path: string) => readCalendarFile(path, { ...options, timezone: 'UTC' });
  return section({
    /** Names it in what is recorded about a start. */
    name: filled,
    /** Local date and time in `timezone`: `2026-12-19T00:00`. @default none: then `at` */
    from: localTimeSchema.optional(),
    /** Local date and time at which it is over. @default none: then `lasts` */
    to: localTimeSchema.optional(),
    /** `cron(…)`: each time at which it begins. @default none: then `from` */
    at: cron.optional(),
    /** How long it lasts from each of them. @default none: then `to` */
    lasts: durationBy().optional(),
    /** A calendar that others keep. An iCalendar file, from this file's folder: its events are read at synth, so a new file needs a deployment. Or the ARN of a Change Calendar of Systems Manager, which is read each minute. @default none */
    calendar: calendarOf(readFile).optional(),
    /** Whole days in `timezone`, each as `2026-12-24`. @default none: then `from` or `at` */
    dates: z.array(localDate).min(1, { error: 'names no day.' }).readonly().optional(),
    /** IANA zone of its times. @default the stage's timezone */
    timezone: zoneSchema.optional(),
    /** What becomes of a start: skipped, or sent at its end (its validity begins there, one start per run). */
    starts: z.enum(['skip', 'defer']).default('skip'),
    /** Campaigns that it is about. @default all */
    campaigns: listOf(filled).optional(),
  });
}
