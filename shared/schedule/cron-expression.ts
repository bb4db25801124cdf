/**
 * The inside of `cron(…)` as EventBridge Scheduler reads it, checked and translated for croner: six fields, exactly one
 * `?`, days of the week numbered 1–7 from Sunday. Every list, range and step is expanded to numbers here, so that
 * croner only meets what both read alike, and `L`, `W` and `#`, whose calendar it knows.
 */
import { Cron } from 'croner';

import { expandField, fieldValue, wantedBy } from './cron-field.ts';
import type { CronField } from './cron-field.ts';
import { parsed, problem } from './parsed.ts';
import type { Parsed } from './parsed.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const MINUTES: CronField = { name: 'minutes', min: 0, max: 59, wraps: true, steps: true };
const HOURS: CronField = { name: 'hours', min: 0, max: 23, wraps: true, steps: true };
const DAY_OF_MONTH: CronField = { name: 'day-of-month', min: 1, max: 31, wraps: true, steps: true };
const MONTH: CronField = { name: 'month', min: 1, max: 12, names: MONTHS, wraps: true, steps: true };
const DAY_OF_WEEK: CronField = { name: 'day-of-week', min: 1, max: 7, names: DAYS, wraps: true, steps: false };
const YEAR: CronField = { name: 'year', min: 1970, max: 2199, wraps: false, steps: true };

/** Just before the first year that a cron expression can name. */
const BEFORE_ALL = Date.UTC(1970, 0, 1) - 1;

/** How each of the six fields is read, in their order. */
const EXPANSIONS: readonly ((text: string) => Parsed<string>)[] = [
  (text) => expandField(text, MINUTES),
  (text) => expandField(text, HOURS),
  daysOfMonth,
  (text) => expandField(text, MONTH),
  daysOfWeek,
  (text) => expandField(text, YEAR),
];

/** Checks the six fields of an AWS cron expression and gives the pattern for {@link cronClock}. */
export function translateCron(inside: string): Parsed<string> {
  const fields = inside.trim().split(/\s+/);
  if (fields.length !== 6) {
    const count = inside.trim() === '' ? 0 : fields.length;
    const instead = insteadOfCrontab(inside);
    return problem(
      `a cron expression has six fields (minutes hours day-of-month month day-of-week year), not ${count}${instead === undefined ? '' : `: these are the five of a crontab; write "${instead}"`}.`,
    );
  }
  const [, , dayOfMonth, , dayOfWeek] = fields;
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) {
    return problem('exactly one of day-of-month and day-of-week must be "?", and the other must say the days.');
  }
  const translated: string[] = ['0'];
  for (const [index, expand] of EXPANSIONS.entries()) {
    const part = expand(fields[index] ?? '');
    if (!part.ok) return part;
    translated.push(part.value);
  }
  const pattern = translated.join(' ');
  if (cronClock(pattern).nextRun(new Date(BEFORE_ALL)) === null) {
    return problem('no calendar has the days that this asks for, so it would never run.');
  }
  return parsed(pattern);
}

/**
 * The schedule to write instead of the five fields of a crontab, if AWS has one. It wants six, one `?` for the days, and a year (EventBridge Scheduler
 * User Guide, "Schedule types", cron-based schedules).
 */
export function insteadOfCrontab(text: string): string | undefined {
  const inside = fromCrontab(text);
  return inside !== undefined && translateCron(inside).ok ? `cron(${inside})` : undefined;
}

/** How a crontab numbers the days of the week. */
const CRONTAB_DAYS = [...DAYS, 'SUN'];

/**
 * The inside of `cron(…)` that runs when these five fields of a crontab do; nothing if the text has other fields, or if both days are limited: a crontab
 * runs on either of them then, and one expression of AWS cannot say that.
 * @example fromCrontab('0 22 * * 1-5') // '0 22 ? * MON-FRI *'
 */
function fromCrontab(text: string): string | undefined {
  const fields = text.trim().split(/\s+/);
  const [minutes, hours, dayOfMonth, month, dayOfWeek] = fields;
  if (fields.length !== 5 || dayOfMonth === undefined || dayOfWeek === undefined) return undefined;
  const everyDayOfWeek = ['*', '?'].includes(dayOfWeek);
  if (everyDayOfWeek) return [minutes, hours, dayOfMonth === '?' ? '*' : dayOfMonth, month, '? *'].join(' ');
  if (!['*', '?'].includes(dayOfMonth)) return undefined;
  return [
    minutes,
    hours,
    '?',
    month,
    dayOfWeek.replaceAll(/\d+/g, (digits) => CRONTAB_DAYS[Number(digits)] ?? digits),
    '*',
  ].join(' ');
}

/**
 * The calendar of a translated pattern. It runs in UTC on purpose: it is asked for local times held as UTC, because
 * croner's own daylight saving rules differ from AWS's (it also fires for a local time that spring leaves out).
 */
export function cronClock(pattern: string): Cron {
  return new Cron(pattern, { mode: '7-part', alternativeWeekdays: true, timezone: 'UTC', paused: true });
}

function daysOfMonth(text: string): Parsed<string> {
  const upper = text.toUpperCase();
  if (upper === '?' || upper === 'L' || upper === 'LW') return parsed(upper);
  if (!/[LW]/.test(upper)) return expandField(text, DAY_OF_MONTH);
  const nearest = /^(\d{1,2})W$/.exec(upper);
  const day = fieldValue(nearest?.[1] ?? '', DAY_OF_MONTH);
  if (day === undefined) {
    return problem(`the day-of-month field says "${text}": use L, LW, or one day with W such as 15W, each alone.`);
  }
  return parsed(`${day}W`);
}

function daysOfWeek(text: string): Parsed<string> {
  const upper = text.toUpperCase();
  if (upper === '?') return parsed('?');
  if (upper === 'L') return parsed('7'); // the last day of the week is Saturday
  const special = /^([^#,-]+?)(?:(L)|#(.*))$/.exec(upper);
  if (special === null) return expandField(text, DAY_OF_WEEK);
  const day = fieldValue(special[1] ?? '', DAY_OF_WEEK);
  if (day === undefined) {
    return problem(`the day-of-week field says "${text}" where ${wantedBy(DAY_OF_WEEK)} comes before L or #.`);
  }
  if (special[2] === 'L') return parsed(`${day}L`);
  if (!/^[1-5]$/.test(special[3] ?? '')) {
    return problem(`the day-of-week field says "${text}" where # is followed by one number from 1 to 5.`);
  }
  return parsed(`${day}#${special[3]}`);
}
