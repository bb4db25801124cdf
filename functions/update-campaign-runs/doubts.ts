import type { Doubt, RunItem } from '../../shared/ledger/items.ts';
import { maxAheadMs } from '../../shared/messages/campaign-run-command.ts';
import type { Evidence } from './deps.ts';

/**
 * Until when a request without an answer may still land: what no other request may overtake (docs/adr/0009-clocks-that-differ.md). Pure.
 */

/** At least as long as a server works on one request (reliability.md 4.2). */
const inDoubtMs = 60_000;

/** The clocks of two workers differ by this at most: the same trust that messages get. */
const clockMarginMs = maxAheadMs;

/** The doubt about a request that is sent now, or was just sent. */
export function doubtFrom(id: string, now: Date): Doubt {
  return { id, until: new Date(now.getTime() + inDoubtMs).toISOString() };
}

/** What is known about a start that was sent and never answered: of its request, and not of one that an attempt after it made. */
export function evidenceOfDoubt({ inDoubt }: RunItem): Evidence {
  const requestId = inDoubt?.requestId;
  return { requestSent: true, ...(requestId === undefined ? {} : { requestId }) };
}

/** Of two doubts the one that lasts longer. */
export function longerDoubt(a: Doubt | undefined, b: Doubt): Doubt {
  return a !== undefined && Date.parse(a.until) > Date.parse(b.until) ? a : b;
}

/** Milliseconds until the request can land no more, if all clocks agree: enough for a stop, which is simply sent again where they do not. */
export function doubtMs(doubt: Doubt | undefined, now: Date): number {
  return doubt === undefined ? 0 : Math.max(0, Date.parse(doubt.until) - now.getTime());
}

/** Milliseconds until it can land no more whatever the clocks say: what a start waits for, since it cannot be taken back. */
export function sureMs(doubt: Doubt | undefined, now: Date): number {
  return doubt === undefined ? 0 : Math.max(0, Date.parse(doubt.until) + clockMarginMs - now.getTime());
}

/** The same for all that a start must not overtake. */
export function startWaitMs({ inDoubt, stopInDoubt }: RunItem, now: Date): number {
  return Math.max(sureMs(inDoubt, now), sureMs(stopInDoubt, now));
}
