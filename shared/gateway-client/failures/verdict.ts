import type { ReasonCode } from '../../vocabulary/reason-codes.ts';

/** What an operation does to the gateway: reads, sets a state, or makes something new each time. */
export type OperationVerb = 'get' | 'patch' | 'post';

/** What became of a failed call, and what may come next. */
export interface Verdict {
  /** Whether the gateway did what was asked. */
  readonly applied: 'yes' | 'no' | 'unknown';
  /** Repeat in process, repeat from the queue, hand to a person, or record as done. */
  readonly next: 'now' | 'later' | 'park' | 'applied';
  /** How many repeats in process there may be at most. 0 unless `next` is `now`. */
  readonly maxNow: number;
  /** With `now`: what comes when those are used up. */
  readonly afterNow?: 'later' | 'park';
  /** The reason to park with: at once, or when `parkAfter` or `maxNow` is used up. */
  readonly reason?: ReasonCode;
  /** Nobody should call the gateway until one probe has succeeded. */
  readonly closesGate?: boolean;
  /** One such failure says little; several of different keys close the gate. */
  readonly suspectsOutage?: boolean;
  /** The token is refused, may not do this, or there is none to send: a person must see to it. */
  readonly isAuthRefused?: boolean;
  /** Every caller waits for this long. */
  readonly pauseMs?: number;
  /** With `later`: how many tries, or how long, before it is parked. */
  readonly parkAfter?: { readonly tries?: number; readonly withinMs?: number };
  /** The state has to be read again before a repeat: never repeated blindly in process. */
  readonly rereadFirst?: boolean;
  /** A repeat waits until the first request cannot land any more, and only the newest wish is repeated. */
  readonly afterInDoubt?: boolean;
  /** The dataset that the gateway names as the one there already. */
  readonly datasetId?: string;
}

/** How the classification may be told more than the interface says. */
export interface ClassifyOptions {
  /** Statuses after which a POST was not applied, by the vendor's word. */
  readonly postMayRepeatOn?: readonly number[] | undefined;
  /** What a PATCH is answered when the run is in the wanted state already: a pattern, or texts (found anywhere, in any case). */
  readonly alreadyInState?: RegExp | readonly string[] | undefined;
}

/** A verdict that waits in the queue. */
export function later(applied: 'no' | 'unknown', more: Partial<Verdict> = {}): Verdict {
  return { applied, next: 'later', maxNow: 0, ...more };
}

/** A verdict that repeats in process, then goes on as `more.afterNow` says, by default later. */
export function now(applied: Verdict['applied'], maxNow: number, more: Partial<Verdict> = {}): Verdict {
  return { applied, next: 'now', maxNow, afterNow: 'later', ...more };
}

/** A verdict that needs a person. */
export function park(applied: Verdict['applied'], reason: ReasonCode, more: Partial<Verdict> = {}): Verdict {
  return { applied, next: 'park', maxNow: 0, reason, ...more };
}

/** A verdict that records the effect as made. */
export function done(more: Partial<Verdict> = {}): Verdict {
  return { applied: 'yes', next: 'applied', maxNow: 0, ...more };
}
