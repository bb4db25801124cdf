/** EventBridge Scheduler's context words, replaced in a target's input. */
import { randomUUID } from 'node:crypto';

import type { LocalSchedule, Occurrence } from './local-schedule.ts';

/** One attempt at an occurrence, with its input made out. */
export function occurrenceOf(schedule: LocalSchedule, scheduledTime: Date, attempt: number): Occurrence {
  const executionId = randomUUID();
  const input = (schedule.target.input ?? '{}')
    .replaceAll('<aws.scheduler.scheduled-time>', toSecond(scheduledTime))
    .replaceAll('<aws.scheduler.schedule-arn>', schedule.arn)
    .replaceAll('<aws.scheduler.execution-id>', executionId)
    .replaceAll('<aws.scheduler.attempt-number>', String(attempt));
  return { scheduledTime, executionId, attempt, input };
}

/** As Scheduler writes instants: `2026-11-20T22:00:00Z`. */
export function toSecond(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}
