import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { isParkReason } from '#shared/vocabulary/reason-codes.ts';
import type { ChaosPlan } from '../events/plan-run.ts';
import type { SentCommand, SentUpload } from '../events/send-events.ts';
import type { RequestName } from '../gateway-traffic.ts';

/** A dataset as the gateway keeps it. */
export interface RegisteredDataset {
  readonly id: string;
  /** Its `fileId`, or its name if its file was sent. */
  readonly tag: string;
  readonly requestId: string;
  readonly createdAt: string;
}

/** A run as the gateway keeps it, with every change that it accepted, oldest first. */
export interface ChangedRun {
  readonly id: string;
  readonly status: string;
  readonly transitions: readonly Transition[];
}

/** One accepted change of a run, or what it did by itself. */
export interface Transition {
  readonly at: string;
  readonly by: string;
  readonly from: string;
  readonly to: string;
  /** Absent if the run changed by itself. */
  readonly body: { readonly status?: string | null | undefined; readonly startAt?: string | null | undefined } | null;
}

/**
 * Everything that a verdict is made of: what was sent, what the gateway holds, and what the ledger
 * says.
 */
export interface Evidence {
  readonly plan: ChaosPlan;
  readonly startedAt: Date;
  readonly uploads: readonly (SentUpload & { readonly row?: UploadRow | undefined })[];
  readonly commands: readonly (SentCommand & { readonly rows: readonly (CommandRow | MessageRow)[] })[];
  readonly datasets: readonly RegisteredDataset[];
  readonly runs: readonly ChangedRun[];
  /** Bodies of the messages in dead-letter queues. */
  readonly deadLetters: readonly string[];
  /** Messages that the drain did not wait for. */
  readonly messagesLeft: number;
  /** How far the clock was moved while all work only waited. */
  readonly movedMs: number;
  readonly kills: number;
  readonly requests: Readonly<Record<RequestName, number>>;
  readonly requestsStruck: number;
  readonly copiesDelivered: number;
  readonly wallMs: number;
}

/** What became of one event. */
export type Fate =
  | 'applied once'
  | 'applied twice'
  | 'lost'
  /** Skipped, and nothing stood against it. */
  | 'denied'
  | 'parked'
  | 'parked without a reason'
  | 'superseded'
  | 'skipped'
  | 'ignored';

/** The verdict on one event. */
export interface Judged {
  /** Object key and version, or the id of a command. */
  readonly key: string;
  readonly fate: Fate;
  /** Of a parked one: whether its effect is at the gateway all the same. */
  readonly wasApplied?: boolean;
  /** Where a promise was broken: in which way, and what is known. */
  readonly broken?: string;
  readonly history?: readonly unknown[];
}

/**
 * A parked row must tell a person why and what came back, and keep the message; each known reason
 * has its next step.
 */
export function saysWhy(outcome: RecordedOutcome, row: { readonly parked?: { readonly message: string } }): boolean {
  const { reason, detail = '' } = outcome;
  if (reason === undefined || !isParkReason(reason)) return false;
  return detail !== '' && (row.parked?.message ?? '') !== '';
}
