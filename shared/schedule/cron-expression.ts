/**
 * The inside of `cron(…)` as EventBridge Scheduler reads it, translated for croner: every list,
 * range and step is expanded to numbers. So croner only meets what both read alike, and `L`, `W`
 * and `#`, whose calendar it knows.
 */
import { Cron } from 'croner';
import { parsed, type Parsed, parseProblem } from './duration.ts';

/** The months as `cron(…)` names them, in their order. */
export const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
/** The days of the week as `cron(…)` names them: 1 is the first. */
export const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

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
    return parseProblem(
      `a cron expression has six fields (minutes hours day-of-month month day-of-week year), not ${count}${instead === undefined ? '' : `: these are the five of a crontab; write "${instead}"`}.`,
    );
  }
  const [, , dayOfMonth, , dayOfWeek] = fields;
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) {
    return parseProblem('exactly one of day-of-month and day-of-week must be "?", and the other must say the days.');
  }
  const translated: string[] = ['0'];
  for (const [index, expand] of EXPANSIONS.entries()) {
    const part = expand(fields[index] ?? '');
    if (!part.ok) return part;
    translated.push(part.value);
  }
  const pattern = translated.join(' ');
  if (cronClock(pattern).nextRun(new Date(BEFORE_ALL)) === null) {
    return parseProblem('no calendar has the days that this asks for, so it would never run.');
  }
  return parsed(pattern);
}

/** The schedule to write instead of the five fields of a crontab, if AWS has one. */
export function insteadOfCrontab(text: string): string | undefined {
  const inside = fromCrontab(text);
  return inside !== undefined && translateCron(inside).ok ? `cron(${inside})` : undefined;
}

/** How a crontab numbers the days of the week. */
const CRONTAB_DAYS = [...DAYS, 'SUN'];

/**
 * Converts a crontab to the inside of `cron(…)`, but if both days are limited: crontab then fires
 * on either day, which AWS cannot express.
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
 * The calendar of a translated pattern, with local times held as UTC: croner's rules of daylight
 * saving differ from AWS's. By an offset it calculates; by the name of a zone it asks Intl for each time.
 */
export function cronClock(pattern: string): Cron {
  return new Cron(pattern, { mode: '7-part', alternativeWeekdays: true, utcOffset: 0, paused: true });
}

function daysOfMonth(text: string): Parsed<string> {
  const upper = text.toUpperCase();
  if (upper === '?' || upper === 'L' || upper === 'LW') return parsed(upper);
  if (!/[LW]/.test(upper)) return expandField(text, DAY_OF_MONTH);
  const nearest = /^(\d{1,2})W$/.exec(upper);
  const day = fieldValue(nearest?.[1] ?? '', DAY_OF_MONTH);
  if (day === undefined) {
    return parseProblem(`the day-of-month field says "${text}": use L, LW, or one day with W such as 15W, each alone.`);
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
    return parseProblem(`the day-of-week field says "${text}" where ${wantedBy(DAY_OF_WEEK)} comes before L or #.`);
  }
  if (special[2] === 'L') return parsed(`${day}L`);
  if (!/^[1-5]$/.test(special[3] ?? '')) {
    return parseProblem(`the day-of-week field says "${text}" where # is followed by one number from 1 to 5.`);
  }
  return parsed(`${day}#${special[3]}`);
}

// One field of an AWS cron expression: what it may say, and the list of numbers that it stands for.

/** The limits of one field. */
interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names in the order of their numbers, the first being `min`. */
  readonly names?: readonly string[];
  /** A range may run past the end of the cycle: `FRI-MON`, `22-6`. */
  readonly wraps: boolean;
  /** AWS lists `/` for every field but the day of the week. */
  readonly steps: boolean;
}

/**
 * Expands a field to the numbers it stands for, `*` staying `*`.
 * @example expandField('FRI-MON', DAY_OF_WEEK) // { ok: true, value: '1,2,6,7' }
 */
function expandField(text: string, field: CronField): Parsed<string> {
  if (text === '*') return parsed('*');
  const numbers = new Set<number>();
  for (const part of text.split(',')) {
    const expanded = expandPart(part, field);
    if (!expanded.ok) return expanded;
    for (const number of expanded.value) numbers.add(number);
  }
  return parsed([...numbers].sort((a, b) => a - b).join(','));
}

/** The number of one value of a field, written as digits or as a name. */
function fieldValue(text: string, field: CronField): number | undefined {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1;
  if (named >= 0) return field.min + named;
  if (!/^\d{1,4}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= field.min && value <= field.max ? value : undefined;
}

/** What a field takes: "a number from 1 to 7 or a name from SUN to SAT". */
function wantedBy(field: CronField): string {
  const names = field.names === undefined ? '' : ` or a name from ${field.names[0]} to ${field.names.at(-1)}`;
  return `a number from ${field.min} to ${field.max}${names}`;
}

function expandPart(part: string, field: CronField): Parsed<readonly number[]> {
  const match = /^([^/-]+)(?:-([^/-]+))?(?:\/([^/-]+))?$/.exec(part);
  const [, first, last, step] = match ?? [];
  if (first === undefined || (first === '*' && last !== undefined)) {
    return parseProblem(`the ${field.name} field cannot be read at "${part}".`);
  }
  const from = first === '*' ? field.min : fieldValue(first, field);
  if (from === undefined) return parseProblem(notAValue(first, field));
  const to = endOf({ from, last, step }, field);
  if (to === undefined) return parseProblem(notAValue(last ?? '', field));
  if (to < from && !field.wraps)
    return parseProblem(`the ${field.name} field has a range that runs backwards: "${part}".`);

  const by = stepOf(step, field);
  if (!by.ok) return by;
  return parsed(numbersBetween(from, to, by.value, field));
}

interface CronRange {
  readonly from: number;
  readonly last: string | undefined;
  readonly step: string | undefined;
}

/** `a/b` counts from a to the end of the cycle, a bare value is itself. */
function endOf({ from, last, step }: CronRange, field: CronField): number | undefined {
  if (last !== undefined) return fieldValue(last, field);
  return step === undefined ? from : field.max;
}

function stepOf(step: string | undefined, field: CronField): Parsed<number> {
  if (step === undefined) return parsed(1);
  if (!field.steps) return parseProblem(`the ${field.name} field takes no "/".`);
  const value = /^\d{1,4}$/.test(step) ? Number(step) : 0;
  const largest = field.max - field.min + (field.min === 0 ? 0 : 1);
  if (value < 1 || value > largest)
    return parseProblem(`the ${field.name} field has a step of "${step}" where 1 to ${largest} is possible.`);
  return parsed(value);
}

function numbersBetween(from: number, to: number, step: number, field: CronField): readonly number[] {
  const length = field.max - field.min + 1;
  const span = to >= from ? to - from : to - from + length;
  const numbers: number[] = [];
  for (let ahead = 0; ahead <= span; ahead += step) {
    numbers.push(field.min + ((from - field.min + ahead) % length));
  }
  return numbers;
}

function notAValue(text: string, field: CronField): string {
  return `the ${field.name} field says "${text}" where ${wantedBy(field)} is possible.`;
}
