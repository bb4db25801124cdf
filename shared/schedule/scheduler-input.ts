/** What EventBridge Scheduler fills into the input of a target. Pure. */

/** In the input of a target: the instant for which an occurrence was planned, whenever it is delivered. */
export const scheduledTime = '<aws.scheduler.scheduled-time>';

/** One delivery of an occurrence. */
export interface Delivered {
  readonly at: Date;
  readonly arn?: string;
  /** New with every attempt, so nothing to deduplicate by. */
  readonly executionId?: string;
  /** From 1. */
  readonly attempt?: number;
}

/** The input of a target as Scheduler fills it in; words of which nothing is known stay. */
export function filledInput(input: string, { at, arn, executionId, attempt }: Delivered): string {
  const words = { 'schedule-arn': arn, 'execution-id': executionId, 'attempt-number': attempt?.toString() };
  return Object.entries(words).reduce(
    (text, [word, value]) => (value === undefined ? text : text.replaceAll(`<aws.scheduler.${word}>`, value)),
    input.replaceAll(scheduledTime, toSecond(at)),
  );
}

/** As Scheduler writes instants: `2026-11-20T22:00:00Z`. */
export function toSecond(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}
