/** A schedule of the template as the run on one machine needs it: plain, resolved values. */

/** One AWS::Scheduler::Schedule. */
export interface LocalSchedule {
  readonly name: string;
  readonly groupName: string;
  /** See {@link scheduleArn}. */
  readonly arn: string;
  readonly expression: string;
  readonly timezone: string;
  readonly startDate?: Date | undefined;
  readonly endDate?: Date | undefined;
  readonly state: 'ENABLED' | 'DISABLED';
  /** It goes once nothing of it is to come: `ActionAfterCompletion: DELETE`. */
  readonly isDeletedAtEnd?: boolean;
  /** Shown to people; locally a schedule fires at the beginning of its window. */
  readonly flexibleWindowMinutes?: number | undefined;
  readonly target: ScheduleTarget;
}

/** What a schedule does when it fires. */
export interface ScheduleTarget {
  readonly arn: string;
  /** The execution role, under which the target and the dead-letter queue are called. */
  readonly roleArn: string;
  readonly input?: string | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  readonly deadLetterArn?: string | undefined;
}

/** How long a delivery that failed is tried again. */
export interface RetryPolicy {
  /** @default 185, as AWS */
  readonly maximumRetryAttempts?: number | undefined;
  /** @default 86400, as AWS */
  readonly maximumEventAgeSeconds?: number | undefined;
}

/** One time at which a schedule fires, and which attempt at it this is. */
export interface Occurrence {
  readonly scheduledTime: Date;
  /** New with every attempt, so nothing to deduplicate by. */
  readonly executionId: string;
  /** From 1. */
  readonly attempt: number;
  /** The target's input with the `<aws.scheduler.…>` words replaced. */
  readonly input: string;
}

/** What goes to a schedule's dead-letter queue when nothing helped. */
export interface DeadLetter {
  readonly body: string;
  /** String message attributes, named as AWS names them. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The ARN of a schedule in its group. */
export function scheduleArn(place: {
  readonly region: string;
  readonly accountId: string;
  readonly groupName: string;
  readonly name: string;
}): string {
  return `arn:aws:scheduler:${place.region}:${place.accountId}:schedule/${place.groupName}/${place.name}`;
}

/** A watcher's schedule calls a function; a command's schedule sends to a queue. They are treated differently: due-occurrences.ts. */
export function callsFunction(schedule: LocalSchedule): boolean {
  return schedule.target.arn.split(':')[2] === 'lambda';
}
