/** What the gateway makes of a run's status words. The interface lists none, so everything is permitted unless told otherwise. */

/** Settings of {@link RunPolicy}; every one has a permissive default. */
export interface RunPolicyOptions {
  /** The only words a PATCH may send. @default any word that is not empty */
  readonly statuses?: readonly string[];
  /** Words that mean "started": a change to one of them counts as a run of the campaign. @default running, in_progress, started */
  readonly startStatuses?: readonly string[];
  /** Words that mean "over". @default complete, completed, finished, failed, cancelled */
  readonly finishedStatuses?: readonly string[];
  /** Whether a run that is over may start again. @default true */
  readonly allowRestart?: boolean;
}

/** {@link RunPolicyOptions} with the defaults filled in. */
export interface RunPolicy {
  readonly statuses: readonly string[] | undefined;
  readonly startStatuses: readonly string[];
  readonly finishedStatuses: readonly string[];
  readonly allowRestart: boolean;
}

/** Fills in the defaults. */
export function runPolicy(options: RunPolicyOptions = {}): RunPolicy {
  return {
    statuses: options.statuses,
    startStatuses: options.startStatuses ?? ['running', 'in_progress', 'started'],
    finishedStatuses: options.finishedStatuses ?? ['complete', 'completed', 'finished', 'failed', 'cancelled'],
    allowRestart: options.allowRestart ?? true,
  };
}

/** Whether this change of status starts the run (a run that is going already does not start again). */
export function isStart(policy: RunPolicy, from: string, to: string): boolean {
  return policy.startStatuses.includes(to) && !policy.startStatuses.includes(from);
}

/** Whether the change would start a run that is over, where the gateway was told to refuse that. */
export function isRestartRefused(policy: RunPolicy, from: string, to: string | undefined): boolean {
  return (
    !policy.allowRestart &&
    to !== undefined &&
    policy.finishedStatuses.includes(from) &&
    policy.startStatuses.includes(to)
  );
}
