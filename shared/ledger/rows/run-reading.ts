/** What a gateway says about a run that it was asked for, as far as it can be used. Pure. */
import type { CampaignRunShown } from '../../gateway-client/index.ts';
import type { LedgerRowBase } from './row-base.ts';
import type { InFlight } from './target-row.ts';
import { hourMs } from '../../schedule/duration.ts';

/** A run as the gateway shows it. */
export interface RunReading {
  readonly status: (typeof statuses)[number];
  readonly startAt?: string;
  /** Of `total` prompts. */
  readonly progress?: number;
  readonly total?: number;
  readonly score?: number;
  /** Model providers that answered with errors, or failed. */
  readonly providers?: readonly {
    readonly name: string;
    readonly errors: number;
    readonly prompts?: number;
    readonly failed: boolean;
  }[];
}

/** A reading, and when the run was asked for. */
export interface RunRead extends RunReading {
  readonly at: string;
}

/** The gateway has no reading of runs, by its last answer. */
export interface RunReadingsRow extends LedgerRowBase {
  readonly kind: 'run-readings';
  readonly missingAt: string;
  readonly status: number;
}

const ends = ['complete', 'error', 'schedule_error', 'cancelled'] as const;
const statuses = ['scheduled', 'in_progress', 'cancelling', ...ends] as const;

/** A gateway without the reading is asked again after this. */
const askedAgainAfterMs = hourMs;

/** Whether a run may be asked for: its gateway has not said within the hour that it has no such operation. */
export function mayAskForRuns(row: RunReadingsRow | undefined, now: Date): boolean {
  return row === undefined || now.getTime() - Date.parse(row.missingAt) >= askedAgainAfterMs;
}

/**
 * Reads a run as the gateway shows it.
 * @returns `undefined` for a status that is none of the words: nothing is known of such a run
 */
export function runReadingOf({ startAt, progress, total, ...run }: CampaignRunShown): RunReading | undefined {
  const status = statuses.find((word) => word === run.status);
  if (status === undefined) return undefined;
  const providers = Object.entries(run.providerErrors ?? {})
    .map(([id, { providerName: name = id, errorCount: errors = 0, totalPrompts: prompts, providerFailed }]) => {
      return { name: name.slice(0, 100), errors, prompts, failed: providerFailed === true };
    })
    .filter(({ errors, failed }) => errors > 0 || failed);
  return { status, startAt, progress, total, score: run.CASIScore, providers: providers.slice(0, mostProviders) };
}

/** More than a run can have. */
const mostProviders = 20;

/** Whether a run in this state never goes on. */
export function hasEnded({ status }: Pick<RunReading, 'status'>): boolean {
  return ends.some((word) => word === status);
}

/** Whether a run has ended for good. At a gateway that starts by a word a request that is under way may begin it again. */
export function isOver(
  shown: Pick<RunReading, 'status'>,
  { unanswered }: Pick<InFlight, 'unanswered'>,
  { start }: { readonly start?: string },
): boolean {
  return hasEnded(shown) && (unanswered === 0 || start === undefined);
}

/** Whether a run in this state has begun, or has failed to. Of one that was cancelled that is not known. */
export function hasBegun({ status }: Pick<RunReading, 'status'>): boolean {
  return status !== 'scheduled' && status !== 'cancelled';
}

/** Whether a run failed, as a whole or at one of its providers. */
export function hasFailed({ status, providers = [] }: RunReading): boolean {
  return status === 'error' || status === 'schedule_error' || providers.some(({ failed }) => failed);
}

/** How many prompts were answered with errors in a run that did not fail; `undefined`: none. */
export function promptErrors(reading: RunReading): number | undefined {
  const errors = (reading.providers ?? []).reduce((sum, provider) => sum + provider.errors, 0);
  return errors === 0 || hasFailed(reading) ? undefined : errors;
}

/**
 * How a run stands, or ended, for people.
 * @example readingSays({ status: 'complete', progress: 1180, total: 1180, score: 87 }) // 'complete, 1,180 of 1,180, score 87'
 */
export function readingSays(
  { status, progress, total, score, providers = [] }: Omit<RunReading, 'status'> & { readonly status: string },
  lastedMs?: number,
): string {
  const parts = [
    `${status.replaceAll('_', ' ')}${lastedMs === undefined ? '' : ` after ${Math.max(0, Math.round(lastedMs / 60_000))} min`}`,
    progress !== undefined && total !== undefined && `${grouped.format(progress)} of ${grouped.format(total)}`,
    score !== undefined && `score ${score}`,
    ...providers.map(({ name, errors, failed }) => `${name} ${failed ? 'failed' : 'had errors'} (${errors})`),
  ];
  return parts.filter((part) => part !== false).join(', ');
}

const grouped = new Intl.NumberFormat('en-US');
