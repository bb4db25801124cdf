/**
 * EventBridge Scheduler's expressions, read as AWS reads them: `cron(…)`, `rate(…)`, `at(…)`. Used when the
 * configuration is checked, by the command line (next times) and by the run on one machine.
 */
import { insteadOfCrontab, translateCron } from './cron-expression.ts';
import { parsed, problem } from './parsed.ts';
import type { Parsed } from './parsed.ts';

/** A schedule's expression, checked. Times are read in the schedule's own zone by {@link fireTimes}. */
export type ScheduleExpression =
  | {
      readonly kind: 'cron';
      readonly text: string;
      /** For croner; see cron-expression.ts. */ readonly pattern: string;
    }
  | { readonly kind: 'rate'; readonly text: string; readonly periodMs: number }
  | { readonly kind: 'at'; readonly text: string; /** A wall clock; see time-zone.ts. */ readonly wallMs: number };

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Reads a schedule expression.
 *
 * @example parseScheduleExpression('cron(0 22 ? * MON-FRI *)')
 */
export function parseScheduleExpression(text: string): Parsed<ScheduleExpression> {
  const match = /^(cron|rate|at)\(([^()]*)\)$/.exec(text.trim());
  if (match === null) {
    const instead = insteadOfCrontab(text);
    if (instead !== undefined) {
      return problem(`"${text}" is not a schedule: these are the five fields of a crontab; write "${instead}".`);
    }
    return problem(`"${text}" is not a schedule: write cron(…), rate(…) or at(…), such as "cron(0 22 ? * MON-FRI *)".`);
  }
  const [, kind, inside = ''] = match;
  const result =
    kind === 'cron' ? readCron(text, inside) : kind === 'rate' ? readRate(text, inside) : readAt(text, inside);
  return result.ok ? result : problem(`"${text}": ${result.problem}`);
}

function readCron(text: string, inside: string): Parsed<ScheduleExpression> {
  const translated = translateCron(inside);
  return translated.ok ? parsed({ kind: 'cron', text, pattern: translated.value }) : translated;
}

function readRate(text: string, inside: string): Parsed<ScheduleExpression> {
  const match = /^(\d{1,6})\s+(minute|hour|day)(s?)$/.exec(inside.trim());
  const unitMs = UNIT_MS[match?.[2] ?? ''];
  if (match === null || unitMs === undefined) {
    return problem('a rate is a whole number and minutes, hours or days, such as "rate(15 minutes)".');
  }
  const [, digits, unit, plural] = match;
  const count = Number(digits);
  if (count === 0) return problem('a rate is more than zero.');
  if ((count === 1) !== (plural === '')) {
    return problem(`AWS wants "${count} ${unit}${count === 1 ? '' : 's'}" here.`);
  }
  return parsed({ kind: 'rate', text, periodMs: count * unitMs });
}

function readAt(text: string, inside: string): Parsed<ScheduleExpression> {
  const digits = inside.trim();
  const wallMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(digits) ? Date.parse(`${digits}Z`) : Number.NaN;
  if (Number.isNaN(wallMs) || new Date(wallMs).toISOString() !== `${digits}.000Z`) {
    return problem('a single time is a real local date and time without a zone, such as "at(2026-11-20T22:00:00)".');
  }
  return parsed({ kind: 'at', text, wallMs });
}
