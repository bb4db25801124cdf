/** One field of an AWS cron expression: what it may say, and the list of numbers that it stands for. */
import { parsed, problem } from './parsed.ts';
import type { Parsed } from './parsed.ts';

/** The limits of one field. */
export interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names in the order of their numbers, the first being `min`. */
  readonly names?: readonly string[];
  /** A range may run past the end of the cycle: `FRI-MON`, `22-6`. Years do not come round again. */
  readonly wraps: boolean;
  /** AWS lists `/` for every field but the day of the week. */
  readonly steps: boolean;
}

/**
 * Expands a field to the numbers it stands for, `*` staying `*`.
 *
 * @example expandField('FRI-MON', DAY_OF_WEEK) // { ok: true, value: '1,2,6,7' }
 */
export function expandField(text: string, field: CronField): Parsed<string> {
  if (text === '*') return parsed('*');
  const numbers = new Set<number>();
  for (const part of text.split(',')) {
    const expanded = expandPart(part, field);
    if (!expanded.ok) return expanded;
    for (const number of expanded.value) numbers.add(number);
  }
  return parsed([...numbers].sort((a, b) => a - b).join(','));
}

/** The number of one value of a field, written as digits or as a name; undefined where it is neither or out of range. */
export function fieldValue(text: string, field: CronField): number | undefined {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1;
  if (named >= 0) return field.min + named;
  if (!/^\d{1,4}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= field.min && value <= field.max ? value : undefined;
}

/** "a number from 0 to 59", "a number from 1 to 7 or a name from SUN to SAT": what a field wants, for its problems. */
export function wantedBy(field: CronField): string {
  const names = field.names === undefined ? '' : ` or a name from ${field.names[0]} to ${field.names.at(-1)}`;
  return `a number from ${field.min} to ${field.max}${names}`;
}

function expandPart(part: string, field: CronField): Parsed<readonly number[]> {
  const match = /^([^/-]+)(?:-([^/-]+))?(?:\/([^/-]+))?$/.exec(part);
  const [, first, last, step] = match ?? [];
  if (first === undefined || (first === '*' && last !== undefined)) {
    return problem(`the ${field.name} field cannot be read at "${part}".`);
  }
  const from = first === '*' ? field.min : fieldValue(first, field);
  if (from === undefined) return problem(notAValue(first, field));
  const to = endOf({ from, last, step }, field);
  if (to === undefined) return problem(notAValue(last ?? '', field));
  if (to < from && !field.wraps) return problem(`the ${field.name} field has a range that runs backwards: "${part}".`);

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
  if (!field.steps) return problem(`the ${field.name} field takes no "/".`);
  const value = /^\d{1,4}$/.test(step) ? Number(step) : 0;
  const largest = field.max - field.min + (field.min === 0 ? 0 : 1);
  if (value < 1 || value > largest)
    return problem(`the ${field.name} field has a step of "${step}" where 1 to ${largest} is possible.`);
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
