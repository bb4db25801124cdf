import type { PeerRequest } from './request.ts';
import type { PeerRun } from './state.ts';

/** What a test does to one request. */
export type Fault =
  /** The request is applied, and the connection breaks before the answer. */
  | { readonly kind: 'lose-answer' }
  /** Another answer; the request is not applied. */
  | { readonly kind: 'answer'; readonly status: number; readonly body?: unknown }
  /** Waits before it applies the request. */
  | { readonly kind: 'delay'; readonly until: Promise<unknown> };

/** Which of the real gateways this one is. A test may change each field at any time. */
export interface Behaviour {
  /** How it answers a stop of a run that is over, or that is being ended; 200 changes nothing. */
  lateStop: 200 | 409 | 'names the field' | 'names no field';
  /** How far its clock is ahead of `now`: the `Date` of its answers, and what it takes for the future. */
  aheadMs: number;
  /** How long after a begin its campaign shows it. */
  lastRunLateMs: number;
  /** Whether a run can be read; 404 and 405 are the answers of a gateway without that operation. */
  readsRuns: true | 404 | 405;
  /** Whether it has schedules and the list of runs; a status is its answer if it has not. */
  makesRuns: true | 403 | 404;
  /** How long after it was made a run is in the list; `undefined`: it never is. */
  listedLateMs: number | undefined;
  /** Whether the filter `name` of the list means a part of the name. */
  matchesPart: boolean;
  /** How long a run lasts; asked when it begins. */
  lengthMsOf: (run: PeerRun) => number;
  faultOf: (request: PeerRequest) => Fault | undefined;
}

/** The real gateway, as its page has it. */
export function usualBehaviour(): Behaviour {
  return {
    lateStop: 200,
    aheadMs: 0,
    lastRunLateMs: 0,
    readsRuns: true,
    makesRuns: true,
    listedLateMs: 0,
    matchesPart: true,
    lengthMsOf: () => 45 * 60_000,
    faultOf: () => undefined,
  };
}
