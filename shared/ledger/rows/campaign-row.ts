import type { LedgerRowBase } from './ledger-row.ts';

/**
 * What became of one `AwaitedConfirmation`: the sign was seen, or it was missing when its time was
 * over.
 */
export interface ConfirmationRow extends LedgerRowBase {
  readonly kind: 'confirmation';
  readonly campaignRunId: string;
  readonly awaited: AwaitedConfirmation;
  readonly confirmed?: { readonly at: string; readonly reads: number | string };
  /** When it was reported as missing; kept if the sign comes later. */
  readonly missingSince?: string;
}

/** The sign of a start: the campaign reads differently. */
export interface AwaitedConfirmation {
  /** Of the start. */
  readonly commandId: string;
  readonly campaignId: string;
  readonly by: 'runCount' | 'lastRunAt';
  /** As it read before the PATCH; absent: the gateway showed none. */
  readonly before?: number | string;
  /** A sign that has not come by then is missing. */
  readonly until: string;
}

/** A campaign as it was last read, and the starts of ours that its moves may be due to. */
export interface CampaignLookRow extends LedgerRowBase {
  readonly kind: 'campaign-look';
  readonly campaignId: string;
  /** Just before it was read. */
  readonly at: string;
  readonly reading: CampaignReading;
  /** By command id. */
  readonly ours: Readonly<Record<string, OwnStart>>;
  /**
   * Since when it reads differently and no start of ours says why: reported if the next look finds
   * no reason either.
   */
  readonly suspectedAt?: string;
}

/** A start of ours as the watcher of its campaign knows it. */
export interface OwnStart {
  /** It may show until then. */
  readonly until: string;
  /** The gateway said yes to it. */
  readonly isAccepted?: true;
  /** It has shown in `runCount`, and does not a second time. */
  readonly isCounted?: true;
}

/**
 * Commands that were sent because they were due, each with its instant, until they are due no more:
 * none is sent every minute.
 */
export interface SentCommandsRow extends LedgerRowBase {
  readonly kind: 'sent-commands';
  /** By command id. */
  readonly sent: Readonly<Record<string, string>>;
}

/** What the watcher sends. */
export type DueKind = 'due-stops' | 'deferred-starts';

/**
 * What `GET campaign` says about the runs of a campaign, as far as it can be compared. Gateways
 * leave the fields out, send null, empty texts, digits in a string, or a date without a time.
 */
export interface CampaignReading {
  /** Absent: the campaign shows no usable count. */
  readonly runCount?: number;
  /**
   * RFC 3339 instant with `Z` or an offset, as the gateway wrote it. Absent: the campaign shows no
   * usable instant.
   */
  readonly lastRunAt?: string;
  /**
   * The campaign shows a `lastRunAt` that is no instant: as text, cut after 100 characters. Never
   * beside `lastRunAt`.
   */
  readonly oddLastRunAt?: string;
}

const instant = /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/i;
const maxOddLength = 100;

/**
 * Reads a campaign as the gateway shows it. A field that says nothing (absent, null or blank) is
 * absent. Pure.
 */
export function readingOf(campaign: { readonly runCount?: unknown; readonly lastRunAt?: unknown }): CampaignReading {
  const runCount = countIn(campaign.runCount);
  const shown = shownText(campaign.lastRunAt);
  const isUsable = shown !== undefined && isInstant(shown);
  return {
    runCount,
    lastRunAt: isUsable ? shown : undefined,
    oddLastRunAt: shown === undefined || isUsable ? undefined : cut(shown),
  };
}

/**
 * The newest usable value of each field: one that the later reading does not show keeps its earlier
 * value. Pure.
 */
export function lastShown(earlier: CampaignReading, later: CampaignReading): CampaignReading {
  return { runCount: later.runCount ?? earlier.runCount, lastRunAt: later.lastRunAt ?? earlier.lastRunAt };
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

function isInstant(text: string): boolean {
  const day = instant.exec(text)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  // Date.parse takes February 30 for March 2.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

function cut(text: string): string {
  return text.length > maxOddLength ? `${text.slice(0, maxOddLength - 1)}…` : text;
}
