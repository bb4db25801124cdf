import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { ChaosPlan } from '../events/plan-run.ts';
import type { SentCommand, SentUpload } from '../events/send-events.ts';
import type { RequestName } from '../gateway-traffic.ts';

/** A dataset as the gateway keeps it. */
interface RegisteredDataset {
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
