import { createHash } from 'node:crypto';
import type { GuardRow } from '../ledger/rows/guard-row.ts';
import { wallClockAt } from '../schedule/time-zone.ts';

/** Starts of a campaign in a calendar month, as its guard item counts them. Pure. */

/** Which count a start belongs to: the month of its effect on the wall of the stage's zone. */
export interface BudgetedMonth {
  /** `2026-11` */
  readonly month: string;
  readonly campaign: string;
}

const digestLength = 16;

/** Starts with an effect before this are of no interest to any count any more, whatever the zones and clocks. */
const keptMs = 62 * 86_400_000;

/** The calendar month of an instant in a zone: `2026-11`. */
export function monthOf(instant: Date, timeZone: string): string {
  return new Date(wallClockAt(instant.getTime(), timeZone)).toISOString().slice(0, 'yyyy-mm'.length);
}

/** How many starts of that month count. */
export function startsUsed(guard: GuardRow | undefined, { month, campaign }: BudgetedMonth): number {
  return guard?.startsOfMonth?.[month]?.[campaign]?.length ?? 0;
}

/** Whether this very start counts there already: an earlier attempt of it reserved its place. */
export function isCounted(guard: GuardRow | undefined, { month, campaign }: BudgetedMonth, commandId: string): boolean {
  return guard?.startsOfMonth?.[month]?.[campaign]?.includes(digestOf(commandId)) === true;
}

/** Counts a start, once, and forgets months that nobody asks for any more. */
export function countStart(guard: GuardRow, where: BudgetedMonth, commandId: string, now: Date): GuardRow {
  const { month, campaign } = where;
  const oldest = monthOf(new Date(now.getTime() - keptMs), 'UTC');
  const months = Object.entries(uncountStart(guard, commandId).startsOfMonth ?? {}).filter(([name]) => name >= oldest);
  const kept = Object.fromEntries(months);
  const counted = [...(kept[month]?.[campaign] ?? []), digestOf(commandId)];
  return { ...guard, startsOfMonth: { ...kept, [month]: { ...kept[month], [campaign]: counted } } };
}

/** Gives the place of a start back: it was not applied. The same item where it had none. */
export function uncountStart(guard: GuardRow, commandId: string): GuardRow {
  const digest = digestOf(commandId);
  const months = Object.entries(guard.startsOfMonth ?? {});
  const isCountedAnywhere = months.some(([, campaigns]) =>
    Object.values(campaigns).some((starts) => starts.includes(digest)),
  );
  if (!isCountedAnywhere) return guard;
  const left = months.map(([month, campaigns]) => [
    month,
    Object.fromEntries(
      Object.entries(campaigns).map(([campaign, starts]) => [campaign, starts.filter((one) => one !== digest)]),
    ),
  ]);
  return { ...guard, startsOfMonth: Object.fromEntries(left) };
}

function digestOf(commandId: string): string {
  return createHash('sha256').update(commandId).digest('hex').slice(0, digestLength);
}
