import { DAYS, MONTHS, translateCron } from '../../schedule/cron-expression.ts';
import type { AutomationDocument } from '../automation.ts';
import { type ConfigProblem, problemAt } from '../schema/names.ts';

/** Fields of a `cron(…)` that other programs read in another way, and days that some months lack. */
export function cronWarnings({ schedules = [], blackouts = [] }: AutomationDocument): ConfigProblem[] {
  const crons = [
    ...schedules.map(({ at }, index) => ({ at, path: ['schedules', index, 'at'] })),
    ...blackouts.map(({ at }, index) => ({ at, path: ['blackouts', index, 'at'] })),
  ];
  return crons.flatMap(({ at = '', path }) => {
    const inside = /^cron\((.*)\)$/.exec(at.trim())?.[1] ?? '';
    const read = translateCron(inside);
    if (!read.ok) return [];
    const [, , dayOfMonth = '', , dayOfWeek = ''] = inside.trim().split(/\s+/);
    const months = read.value.split(' ')[4] ?? '*';
    return [...numericWeekdays(dayOfWeek), ...lackingDays(dayOfMonth, months)].map((message) =>
      problemAt(path, message),
    );
  });
}

/** A crontab counts the days of the week from Sunday as 0, AWS from Sunday as 1. */
function numericWeekdays(field: string): readonly string[] {
  const named = field.replaceAll(/(?<!#)[1-7]/g, (digit) => DAYS[Number(digit) - 1] ?? digit);
  return named === field
    ? []
    : [`the day-of-week field ${field} means ${named}: AWS counts from Sunday as 1; write the names, such as MON-FRI.`];
}

/** The longest that a month can be. */
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A range that ends with such a day means all days, so only a day that stands alone is warned of. */
function lackingDays(field: string, months: string): readonly string[] {
  const fires =
    months === '*' ? MONTHS.map((_name, index) => index) : months.split(',').map((month) => Number(month) - 1);
  return field.split(',').flatMap((part) => {
    const day = Number(/^(29|30|31)W?$/i.exec(part)?.[1] ?? 0);
    // The 29th of February comes in leap years alone.
    const lacking = fires.filter((month) => day > (month === 1 ? 28 : (monthDays[month] ?? 31)));
    if (lacking.length === 0) return [];
    const names = lacking.map((month) => `${MONTHS[month]}${month === 1 && day === 29 ? ' (but in leap years)' : ''}`);
    return [`day ${day} does not come in ${names.join(', ')}, so it does not fire then; L is the last day of a month.`];
  });
}
