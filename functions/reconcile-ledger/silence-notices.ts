/** What people are sent about schedules that are silent, and about a freeze or a pause that is forgotten. Pure. */
import type { OutcomeEvent } from '#shared/aws/outcome-bus.ts';
import type { WatchedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import type { ScheduleMemory } from '#shared/ledger/rows/silence-row.ts';
import type { SwitchRow } from '#shared/ledger/switches.ts';
import { silenceMeaning, silenceNextStep } from '#shared/vocabulary/silence-reasons.ts';

const dayMs = 24 * 3_600_000;

/**
 * The notice about a silent schedule: at once, then once a day. One that is frozen or paused is told once: each day the switch itself reminds.
 * @returns `undefined` if there is nothing to tell now
 */
export function silenceNotice(
  { name, run }: WatchedSchedule,
  { missed, silentSince, toldAt, startedAt }: ScheduleMemory,
  now: Date,
): OutcomeEvent | undefined {
  if (missed === undefined || silentSince === undefined) return undefined;
  const { reason, detail, count, first } = missed;
  const isHeldBack = reason === 'FROZEN' || reason === 'PAUSED';
  if (toldAt !== undefined && (isHeldBack || !isDayAgo(toldAt, now))) return undefined;
  return {
    eventId: `silent:${name}@${silentSince}#${toldAt === undefined ? 0 : daysSince(silentSince, now)}`,
    schedule: name,
    run,
    missed: count,
    since: first,
    lastStartAt: startedAt,
    reason,
    meaning: silenceMeaning(reason),
    detail,
    nextStep: silenceNextStep(reason),
    at: now.toISOString(),
  };
}

/**
 * The reminder of a freeze or a pause: once a day, the first after a day.
 * @returns `undefined` if it is not due
 */
export function switchReminder(row: SwitchRow, reminded: string | undefined, now: Date): OutcomeEvent | undefined {
  const { scope, name, by, reason, at, until } = row;
  const last = reminded !== undefined && reminded > at ? reminded : at;
  if (!isDayAgo(last, now)) return undefined;
  return {
    eventId: `held-back:${scope}:${name}@${at}#${daysSince(at, now)}`,
    scope,
    name,
    subject: scope === 'stage' ? 'the stage' : `${scope} ${name}`,
    by: plainWords(by),
    because: plainWords(reason),
    since: at,
    until,
    ends: until === undefined ? 'It has no end.' : `It ends by itself at ${until}.`,
    nextStep: scope === 'stage' ? 'autopilot thaw' : `autopilot resume ${scope} ${name}`,
    at: now.toISOString(),
  };
}

/** A person's words as a notice may carry them: EventBridge escapes nothing, so only what can end no text, line or link stays. */
export function plainWords(words: string): string {
  return words
    .replaceAll(/[^\p{L}\p{N} .,:;@/_+#()-]+/gu, ' ')
    .trim()
    .slice(0, mostWords)
    .toWellFormed();
}

const mostWords = 120;

function isDayAgo(instant: string, now: Date): boolean {
  return daysSince(instant, now) >= 1;
}

function daysSince(instant: string, now: Date): number {
  return Math.floor((now.getTime() - Date.parse(instant)) / dayMs);
}
