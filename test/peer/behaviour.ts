import type { UnknownFields } from './fields.ts';
import type { PeerRequest } from './request.ts';
import type { PeerRun, ProviderErrors } from './state.ts';

/** How the peer refuses what comes too late; 200 changes nothing. */
export type LateAnswer = 200 | 409 | 'names the field' | 'names no field';

/** How a run goes, from its begin on. */
export interface Course {
  readonly lengthMs: number;
  readonly ending: 'complete' | 'error' | 'schedule_error';
  /** Prompts that it sends. */
  readonly total: number | null;
  /** The `CASIScore` of a run that is complete. */
  readonly score: number | null;
  readonly providerErrors: Readonly<Record<string, ProviderErrors>>;
}

/** What a test does to one request. */
export type Fault =
  /** The connection breaks, and nothing was applied. */
  | { readonly kind: 'reset' }
  /** The request is applied, and the connection breaks before the answer. */
  | { readonly kind: 'lose-answer' }
  /** Another answer; with `applies` the request is applied all the same. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly applies?: boolean;
    }
  /** Waits before it applies the request, or before it answers. */
  | { readonly kind: 'delay'; readonly until: Promise<unknown>; readonly place: 'before' | 'after' };

/** Which of the real gateways this one is. A test may change each field at any time. */
export interface Behaviour {
  /** A stop of a run that is over, or that is being ended. */
  lateStop: LateAnswer;
  /** A `startAt` for a run that has begun or is over. */
  lateStart: LateAnswer;
  /** How far its clock is ahead of `now`: the `Date` of its answers, and what it takes for the future. */
  aheadMs: number;
  unknownFields: UnknownFields;
  /** How long after a begin its campaign shows it. */
  lastRunLateMs: number;
  /** How long a run takes from `cancelling` to `cancelled`. */
  cancelMs: number;
  /** Whether a run can be read; 404 and 405 are the answers of a gateway without that operation. */
  readsRuns: true | 404 | 405;
  /** How it compresses each answer, whatever the request accepts. */
  compresses: 'br' | 'deflate' | 'gzip' | 'zstd' | undefined;
  /** Decided when a run begins. */
  courseOf: (run: PeerRun) => Partial<Course>;
  faultOf: (request: PeerRequest) => Fault | undefined | Promise<Fault | undefined>;
}

/** The real gateway, as its page has it. */
export function usualBehaviour(): Behaviour {
  return {
    lateStop: 200,
    lateStart: 200,
    aheadMs: 0,
    unknownFields: 'refuse',
    lastRunLateMs: 0,
    cancelMs: 5_000,
    readsRuns: true,
    compresses: undefined,
    courseOf: () => ({}),
    faultOf: () => undefined,
  };
}

/** What a run does of which nothing else is said. */
export const usualCourse: Course = {
  lengthMs: 45 * 60_000,
  ending: 'complete',
  total: 1_180,
  score: 87,
  providerErrors: {},
};
