/** What a gateway says about a run that it was asked for, as far as it can be used. Pure. */
import type { CampaignRunShown } from '../../gateway-client/index.ts';
import type { LedgerRowBase } from './ledger-row.ts';

const statuses = [
  'scheduled',
  'in_progress',
  'complete',
  'error',
  'cancelling',
  'cancelled',
  'schedule_error',
] as const;

/** The words of the gateway that publishes the reading. */
export type RunStatus = (typeof statuses)[number];

/** A run as the gateway shows it. */
export interface RunReading {
  readonly status: RunStatus;
  /** In UTC. */
  readonly startAt?: string;
  readonly campaignId?: string;
  /** Of `total` prompts. */
  readonly progress?: number;
  readonly total?: number;
  readonly score?: number;
  /** Those that answered with errors, or failed. */
  readonly providers?: readonly ProviderErrors[];
}

/** What went wrong at one model provider. */
export interface ProviderErrors {
  readonly name: string;
  readonly errors: number;
  readonly prompts?: number;
  readonly failed: boolean;
}

/** A reading, and when the run was asked for. */
export interface RunRead extends RunReading {
  readonly at: string;
}

/** The gateway has no reading of runs: since when that is known, by the last answer. */
export interface RunReadingsRow extends LedgerRowBase {
  readonly kind: 'run-readings';
  readonly missingAt: string;
  readonly status: number;
}

/** A gateway without the reading is asked again after this. */
const askedAgainAfterMs = 60 * 60_000;

/** Whether a run may be asked for: its gateway has not said within the hour that it has no such operation. */
export function mayAskForRuns(row: RunReadingsRow | undefined, now: Date): boolean {
  return row === undefined || now.getTime() - Date.parse(row.missingAt) >= askedAgainAfterMs;
}

/**
 * Reads a run as the gateway shows it. A field that is of another type is absent.
 * @returns `undefined` for a status that is none of the words: nothing is known of such a run
 */
export function runReadingOf(run: CampaignRunShown): RunReading | undefined {
  const status = statuses.find((word) => word === run.status);
  if (status === undefined) return undefined;
  return {
    status,
    startAt: instantIn(run.startAt),
    campaignId: textIn(run.campaignId)?.toLowerCase(),
    progress: countIn(run.progress),
    total: countIn(run.total),
    score: typeof run.CASIScore === 'number' && Number.isFinite(run.CASIScore) ? run.CASIScore : undefined,
    providers: providersIn(run.providerErrors),
  };
}

/** Whether a run in this state never goes on. */
export function hasEnded(status: RunStatus): boolean {
  return status === 'complete' || status === 'error' || status === 'schedule_error' || status === 'cancelled';
}

/** Whether a run in this state has begun. Of one that was cancelled that is not known. */
export function hasBegun(status: RunStatus): boolean {
  return status === 'in_progress' || status === 'cancelling' || status === 'complete' || status === 'error';
}

/** Whether a run failed, as a whole or at one of its providers. */
export function hasFailed({ status, providers = [] }: RunReading): boolean {
  return status === 'error' || status === 'schedule_error' || providers.some(({ failed }) => failed);
}

const grouped = new Intl.NumberFormat('en-US');

/**
 * How a run stands, or ended, for people.
 * @example readingSays({ status: 'complete', progress: 1180, total: 1180, score: 87 }) // 'complete, 1,180 of 1,180, score 87'
 */
export function readingSays({ status, progress, total, score, providers = [] }: RunReading, lastedMs?: number): string {
  const after = lastedMs === undefined ? '' : ` after ${Math.max(0, Math.round(lastedMs / 60_000))} min`;
  const errors = providers.map(
    ({ name, errors: count, prompts, failed }) =>
      `${name} ${failed ? 'failed' : 'had errors'} in ${grouped.format(count)}${prompts === undefined ? '' : ` of ${grouped.format(prompts)}`} prompts`,
  );
  return [
    `${status.replaceAll('_', ' ')}${after}`,
    ...(progress === undefined || total === undefined
      ? []
      : [`${grouped.format(progress)} of ${grouped.format(total)}`]),
    ...(score === undefined ? [] : [`score ${score}`]),
    ...errors,
  ].join(', ');
}

/** More providers than a run can have. */
const mostProviders = 20;

function providersIn(shown: unknown): readonly ProviderErrors[] | undefined {
  if (typeof shown !== 'object' || shown === null) return undefined;
  const found = Object.entries(shown).flatMap(([id, value]: [string, unknown]): readonly ProviderErrors[] => {
    if (typeof value !== 'object' || value === null) return [];
    const { providerName, errorCount, totalPrompts, providerFailed }: Record<string, unknown> = { ...value };
    const errors = countIn(errorCount) ?? 0;
    const failed = providerFailed === true;
    if (errors === 0 && !failed) return [];
    const name = (textIn(providerName) ?? id).slice(0, 100);
    return [{ name, errors, prompts: countIn(totalPrompts), failed }];
  });
  return found.length === 0 ? undefined : found.slice(0, mostProviders);
}

function countIn(shown: unknown): number | undefined {
  return typeof shown === 'number' && Number.isSafeInteger(shown) && shown >= 0 ? shown : undefined;
}

function textIn(shown: unknown): string | undefined {
  return typeof shown === 'string' && shown.trim() !== '' ? shown : undefined;
}

function instantIn(shown: unknown): string | undefined {
  const ms = Date.parse(textIn(shown) ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
