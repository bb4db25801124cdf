import { isParkReason } from '#shared/vocabulary/reason-codes.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';

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
  | 'ignored'
  | 'dead letter';

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

/** A parked row must tell a person why and what came back, and keep the message; each known reason has its next step. */
export function saysWhy(outcome: RecordedOutcome, row: { readonly parked?: { readonly message: string } }): boolean {
  const { reason, detail = '' } = outcome;
  if (reason === undefined || !isParkReason(reason)) return false;
  return detail !== '' && (row.parked?.message ?? '') !== '';
}
