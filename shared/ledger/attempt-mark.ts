/**
 * Counts attempts that died (killed, out of memory, cut off). Rows of commands are otherwise
 * written only at the end. A first delivery that ends with an outcome costs no write; an
 * attempt without an outcome leaves a row without an owner. From the second delivery on an attempt
 * leaves its mark before it begins, and takes it out when it ends. A dead attempt shows as an
 * expired mark. A dead first attempt shows as a second delivery without a row.
 */
import type { AttemptMark } from './rows/message-row.ts';

/** Attempts in a row that started and never ended, before their work is parked. */
const mostCrashes = 3;

/** What a delivery does about the attempts before it. */
export type AttemptStep =
  /** Without a mark: nothing is to be written yet. */
  | { readonly kind: 'begin'; readonly mark?: AttemptMark }
  /** Another attempt is at it. */
  | { readonly kind: 'wait'; readonly delayMs: number }
  | { readonly kind: 'crash-loop'; readonly crashes: number };

/**
 * Decides whether an attempt may begin. Pure.
 * @param row - without `until` the last attempt has ended
 */
export function nextAttempt(
  row: { readonly attempt?: Partial<Pick<AttemptMark, 'until' | 'crashes'>> } | undefined,
  attempt: {
    readonly owner: string;
    readonly now: Date;
    readonly remainingMs: number;
    readonly receiveCount: number;
  },
): AttemptStep {
  const { owner, now, remainingMs, receiveCount } = attempt;
  const { until, crashes: earlier = 0 } = row?.attempt ?? {};
  const delayMs = until === undefined ? 0 : Date.parse(until) - now.getTime();
  if (delayMs > 0) return { kind: 'wait', delayMs };

  const isFirst = receiveCount === 1 && until === undefined;
  if (isFirst) return { kind: 'begin' };
  const crashes = until === undefined ? (row === undefined ? 1 : 0) : earlier + 1;
  if (crashes >= mostCrashes) return { kind: 'crash-loop', crashes };
  return { kind: 'begin', mark: { owner, until: new Date(now.getTime() + remainingMs).toISOString(), crashes } };
}

/** The row after an attempt that ended without an outcome. */
export function withoutAttempt<Row extends { readonly attempt?: AttemptMark }>(row: Row): Omit<Row, 'attempt'> {
  const { attempt: _attempt, ...rest } = row;
  return rest;
}
