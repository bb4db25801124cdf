import { isInstant } from '../../schedule/time-zone.ts';
import type { LedgerRowBase } from './row-base.ts';
import type { RunRead } from './run-reading.ts';

/** What the gateway shows of a start: the watcher writes it, the run worker never. */
export interface ConfirmationRow extends LedgerRowBase {
  readonly kind: 'confirmation';
  readonly campaignRunId: string;
  /** Id of the start command. */
  readonly startId: string;
  readonly run: string;
  readonly campaignId?: string;
  /** The sign was seen, and by what. */
  readonly confirmed?: { readonly at: string; readonly by: 'lastRun' | 'lastRunAt' | 'run' };
  /** When it was reported as missing; kept if the sign comes later. */
  readonly missingSince?: string;
  /** The campaign's last run as it was read last: one that is none of ours was started elsewhere. */
  readonly lastRun?: string;
  /** When that one began, as the campaign shows it. */
  readonly lastRunAt?: string;
  /** The run as it was read last; of one that has ended, how. */
  readonly shown?: RunRead;
}

/**
 * Commands that were sent because they were due, until they are due no more: none is sent every
 * minute.
 */
export interface SentCommandsRow extends LedgerRowBase {
  readonly kind: 'sent-commands';
  /** By command id. */
  readonly sent: Readonly<Record<string, string>>;
}

/** What `GET campaign` says about the runs of a campaign, as far as it can be compared. */
export interface CampaignReading {
  /** The id of its last run, in lower case. */
  readonly lastRun?: string;
  /** Absent: the campaign shows no usable count. */
  readonly runCount?: number;
  /** As the gateway wrote it. Absent: the campaign shows no usable instant. */
  readonly lastRunAt?: string;
  /** A `lastRunAt` that is no instant, cut after 100 characters. */
  readonly oddLastRunAt?: string;
}

const maxOddLength = 100;

/** Reads a campaign as the gateway shows it; what is null or blank there is absent. Pure. */
export function readingOf({ runCount, lastRun, lastRunAt }: Readonly<Record<string, unknown>>): CampaignReading {
  const shown = shownText(lastRunAt);
  const isUsable = shown !== undefined && isInstant(shown);
  return {
    runCount: countIn(runCount),
    lastRun: shownText(lastRun)?.toLowerCase(),
    lastRunAt: isUsable ? shown : undefined,
    oddLastRunAt: shown === undefined || isUsable ? undefined : cut(shown),
  };
}

/** A count of runs: a number, or digits in a text. */
function countIn(shown: unknown): number | undefined {
  const count = typeof shown === 'string' && /^\d+$/.test(shown.trim()) ? Number(shown) : shown;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function shownText(shown: unknown): string | undefined {
  if (shown === undefined || shown === null) return undefined;
  const text = (typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? '')).trim();
  return text === '' ? undefined : text;
}

function cut(text: string): string {
  return text.length > maxOddLength ? `${text.slice(0, maxOddLength - 1)}…` : text;
}
