/** What EventBridge Scheduler takes as a name; runs and campaigns keep to it too. */
export const namePattern = /^[0-9A-Za-z_.-]{1,64}$/;

/** The same in words, for problems. */
export const nameRule = '1 to 64 letters, digits, dashes, underscores and dots';

/**
 * A stage's name is part of stack, bucket and group names. With account and region a bucket's name
 * has 63 characters, none of them a capital: `Prod` and `prod` would be two stages with one bucket.
 */
export const stagePattern = /^[a-z][0-9a-z-]{0,14}[0-9a-z]$|^[a-z]$/;

/** The same in words. */
export const stageRule = 'at most 16 small letters, digits and dashes, a letter first and no dash last';

/** The name of a watch in the stage's schedule group, beside the schedules that people name. */
export function packageWatchScheduleName(watch: string): string {
  return `scanner-packages.${watch}`;
}

/** The same for the watch of a project. */
export function projectWatchScheduleName(watch: string): string {
  return `projects.${watch}`;
}

/** Schedules that every stage has beside those that people name. */
export const ownScheduleNames = ['reconcile-ledger', 'watch-campaigns'] as const;

/** So that the schedule's name, with its prefix, still fits. */
export const watchNamePattern = /^[0-9A-Za-z_.-]{1,40}$/;

/** The same in words. */
export const watchNameRule = '1 to 40 letters, digits, dashes, underscores and dots';

/** The word of a PATCH that stops a run, unless the configuration has another. */
export const defaultStopWord = 'cancelled';

/** The fields that a dataset is made of, as rule, metadata and sidecar give them. */
export const datasetFields = ['fileId', 'name', 'scannerId', 'scannerPackageId', 'scannerVersions'] as const;

export type DatasetField = (typeof datasetFields)[number];

/**
 * One thing that is wrong in a configuration, or odd: its path, and a sentence on what would be
 * right.
 */
export interface ConfigProblem {
  /** As the document spells it: `schedules[0].at`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

/** Writes a path as people read it. */
export function formatPath(segments: readonly PropertyKey[]): string {
  return segments
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${String(segment)}`))
    .join('')
    .replace(/^\./, '');
}

/** A problem at a place of the document. */
export function problemAt(path: readonly PropertyKey[], message: string): ConfigProblem {
  return { path: formatPath(path), message };
}

/** The same if something is so, else none. */
export function problemsIf(isSo: boolean, path: readonly PropertyKey[], message: string): ConfigProblem[] {
  return isSo ? [problemAt(path, message)] : [];
}
