import type { BodyEvidence } from './answer-errors.ts';
import type { FailureFacts } from './troubles.ts';
import type { ParkReason } from '../../vocabulary/reason-codes.ts';

/** What an operation does to the gateway: reads, sets a state, or makes something new each time. */
export type OperationVerb = 'get' | 'patch' | 'post';

/** What became of a failed call, and what may come next: the same from the client to the row. */
export interface Verdict {
  /** Whether the gateway did what was asked. */
  readonly applied: 'yes' | 'no' | 'unknown';
  /** Back to the queue, to a person, or recorded as done. */
  readonly next: 'later' | 'park' | 'applied';
  /** How many repeats in process the client makes before that. @default 0 */
  readonly repeatsNow?: number;
  /** The reason to park with: at once, or when `parkAfter` is used up. */
  readonly reason?: ParkReason;
  /** No worker should call the gateway until one probe has succeeded. */
  readonly closesGate?: boolean;
  /** One such failure says little; several of different keys close the gate. */
  readonly suspectsOutage?: boolean;
  /** The token is refused, may not do this, or there is none to send: a person must see to it. */
  readonly isAuthRefused?: boolean;
  /** Every caller waits for this long. */
  readonly pauseMs?: number;
  /** With `later`: how many tries (within `perMs`, if it is said), or how long, before it is parked. */
  readonly parkAfter?: { readonly tries?: number; readonly perMs?: number; readonly withinMs?: number };
  /** The dataset that the gateway names as the one there already. */
  readonly datasetId?: string;
  /** A PATCH was refused in words of `alreadyInState`. */
  readonly isAlready?: true;
  /** What was attempted and what came back, in the gateway's own words if it has some. */
  readonly why: string;
  /** What a person can go by. */
  readonly evidence: FailureFacts & {
    /** Absent: the error is not the client's, and says nothing about it. */
    readonly requestSent?: boolean;
    /** Of a 2xx that cannot be read. */
    readonly answer?: BodyEvidence | undefined;
  };
}

/** How a caller may give the classification more facts than the interface has. */
export interface ClassifyOptions {
  /** Statuses after which a POST was not applied, by the vendor's word. */
  readonly postMayRepeatOn?: readonly number[] | undefined;
  /** Texts, found anywhere and in any case, of a refused PATCH whose run is in the wanted state already. */
  readonly alreadyInState?: readonly string[] | undefined;
}
