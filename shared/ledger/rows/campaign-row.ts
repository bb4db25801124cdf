import type { CampaignReading } from '../campaign-reading.ts';
import type { LedgerRowBase } from './ledger-row.ts';

/** What became of one `AwaitedConfirmation`: the sign was seen, or it was missing when its time was over. */
export interface ConfirmationRow extends LedgerRowBase {
  readonly kind: 'confirmation';
  readonly campaignRunId: string;
  readonly awaited: AwaitedConfirmation;
  readonly confirmed?: { readonly at: string; readonly reads: number | string };
  /** When it was reported as missing; it stays where the sign comes later. */
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
  /** Since when it reads differently and no start of ours says why: reported if the next look finds no reason either. */
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

/** Commands that were sent because they were due, each with its instant, until they are due no more: none is sent every minute. */
export interface SentCommandsRow extends LedgerRowBase {
  readonly kind: 'sent-commands';
  /** By command id. */
  readonly sent: Readonly<Record<string, string>>;
}

/** What the watcher sends. */
export type DueKind = 'due-stops' | 'deferred-starts';
