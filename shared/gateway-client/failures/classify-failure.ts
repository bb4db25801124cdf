import { toError } from '../../errors/app-error.ts';
import type { ParkReason } from '../../vocabulary/reason-codes.ts';
import {
  BadBodyError,
  BadStatusError,
  type BodyEvidence,
  factsOf,
  type FailureKind,
  failureWords,
  GatewayError,
} from './errors.ts';
import { type FailureFacts, ofEveryCaller, ofOneRequest } from './troubles.ts';
import { hourMs } from '../../schedule/duration.ts';

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

/**
 * What may come next after a failed call: the one place that decides whether something may be sent
 * twice. Pure and total: any value gives a verdict, and what is not known counts as sent.
 *
 * A GET repeats freely. A PATCH sets a state, so it may be repeated, but not beside one that may
 * still land. A POST repeats only when it is proven that the first one was not applied.
 */
export function classifyFailure(verb: OperationVerb, failure: unknown, options: ClassifyOptions = {}): Verdict {
  if (!(failure instanceof GatewayError)) {
    return { ...sentWithoutAnswer[verb], why: toError(failure).message, evidence: {} };
  }
  return {
    ...judgements[failure.kind](verb, failure, options),
    why: failureWords(failure),
    evidence: { ...factsOf(failure), answer: failure instanceof BadBodyError ? failure.body : undefined },
  };
}

/** A row of the retry table. */
type Judgement = Omit<Verdict, 'why' | 'evidence'>;
type JudgementByVerb = Readonly<Record<OperationVerb, Judgement>>;

function later(applied: Verdict['applied'], more: Partial<Judgement> = {}): Judgement {
  return { applied, next: 'later', ...more };
}

function park(applied: Verdict['applied'], reason: ParkReason, more: Partial<Judgement> = {}): Judgement {
  return { applied, next: 'park', reason, ...more };
}

function done(more: Partial<Judgement> = {}): Judgement {
  return { applied: 'yes', next: 'applied', ...more };
}

const sentWithoutAnswer: JudgementByVerb = {
  get: later('unknown', { repeatsNow: 2, suspectsOutage: true }),
  patch: later('unknown', { suspectsOutage: true }),
  post: park('unknown', 'POST_OUTCOME_UNKNOWN', { suspectsOutage: true }),
};

/** A 2xx says that it was done, with any body. */
const brokenBody: JudgementByVerb = {
  get: later('yes', { repeatsNow: 1 }),
  patch: done(),
  // If no answer can be read, each more is one more dataset without its id.
  post: park('yes', 'APPLIED_ID_UNKNOWN', { suspectsOutage: true }),
};

/** A 200 from a login page or a proxy: whether the gateway saw the request is not known. */
const foreignBody: JudgementByVerb = {
  ...sentWithoutAnswer,
  get: later('unknown', { repeatsNow: 1, closesGate: true }),
};

type Judge = (verb: OperationVerb, error: GatewayError, options: ClassifyOptions) => Judgement;

const judgements: Readonly<Record<FailureKind, Judge>> = {
  'invalid-input': () => park('no', 'VALIDATION'),
  'no-token': () => later('no', { closesGate: true, isAuthRefused: true }),
  'before-sending': () => later('no'),
  'not-sent': () => later('no', { repeatsNow: 2, suspectsOutage: true }),
  certificate: () => later('no', { closesGate: true }),
  'no-answer': (verb, failure) =>
    factsOf(failure).causeCode === 'UNASKED_CONTINUE'
      ? { ...sentWithoutAnswer[verb], closesGate: true }
      : sentWithoutAnswer[verb],
  status: (verb, error, options) =>
    error instanceof BadStatusError ? judgeStatus(verb, error, options) : sentWithoutAnswer[verb],
  // A 303 says "done, look over there": of the redirects the only one that may follow an effect.
  redirect: (verb, { status }) => {
    if (status !== 303) return later('no', { closesGate: true });
    return verb === 'post'
      ? park('unknown', 'POST_OUTCOME_UNKNOWN', { closesGate: true })
      : later('unknown', { closesGate: true });
  },
  'broken-body': (verb) => brokenBody[verb],
  'foreign-body': (verb) => foreignBody[verb],
};

/** What of an answer decides, beside its status. */
type StatusFacts = Pick<BadStatusError, 'status'> &
  Partial<Pick<BadStatusError, 'details' | 'retryAfterMs' | 'namesResource' | 'speaker'>>;

/** A pause for a gateway that names none: a limit per second has passed. */
const defaultPauseMs = 5000;
/** A run or campaign that was just made may not be everywhere yet. */
const notFoundPatienceMs = 10 * 60_000;
const mostRefusals = 3;

type StatusRow = (verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions) => Judgement;
type StatusRows = Readonly<Record<number, StatusRow>>;

/** The rows of the table that ask for no speaker. */
const anySpeaker: StatusRows = {
  401: authRefused,
  407: authRefused,
  408: notReady,
  421: () => later('no', { suspectsOutage: true }),
  425: notReady,
  429: (_verb, { retryAfterMs }) => later('no', { pauseMs: retryAfterMs ?? defaultPauseMs }),
};

/** The rows for answers of the gateway itself. It alone may end anything at once. */
const ofGateway: StatusRows = {
  400: invalid,
  403: forbidden,
  404: notFound,
  405: invalid,
  406: invalid,
  409: conflict,
  410: notFound,
  411: invalid,
  412: precondition,
  413: invalid,
  414: invalid,
  415: invalid,
  422: invalid,
  428: precondition,
  431: invalid,
  451: forbidden,
  501: invalid,
  505: invalid,
};

/** What an answer that is neither 2xx nor 3xx means, by the table. */
function judgeStatus(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Judgement {
  const { status, retryAfterMs, speaker } = facts;
  if (status === 503 && retryAfterMs !== undefined) return later('no', { pauseMs: retryAfterMs });
  const row = anySpeaker[status] ?? (speaker === undefined ? ofGateway[status] : ofEdge(status)) ?? unproven;
  return row(verb, facts, options);
}

/** The rows for what stands before the gateway: it ends nothing at once, and a stop never. */
function ofEdge(status: number): StatusRow | undefined {
  if (ofOneRequest.has(status)) return requestRefused;
  return ofEveryCaller.has(status) ? () => later('no', { suspectsOutage: true }) : undefined;
}

function requestRefused(verb: OperationVerb): Judgement {
  if (verb === 'patch') return later('no');
  return later('no', { reason: 'EDGE_REFUSED', parkAfter: { tries: mostRefusals, perMs: hourMs } });
}

/** The client has read the token again before this came out. */
function authRefused(): Judgement {
  return later('no', { closesGate: true, isAuthRefused: true });
}

function forbidden(): Judgement {
  const parkAfter = { tries: mostRefusals };
  return later('no', { reason: 'FORBIDDEN', isAuthRefused: true, suspectsOutage: true, parkAfter });
}

function invalid(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Judgement {
  return park('no', 'VALIDATION', already(verb, facts, options));
}

function notReady(verb: OperationVerb): Judgement {
  return later('no', verb === 'get' ? { repeatsNow: 1 } : {});
}

function precondition(verb: OperationVerb): Judgement {
  return park('no', verb === 'post' ? 'VALIDATION' : 'CONFLICT');
}

function notFound(verb: OperationVerb, { namesResource }: StatusFacts): Judgement {
  const parkAfter = { withinMs: notFoundPatienceMs };
  if (verb === 'patch') return later('no', { reason: 'RUN_NOT_FOUND', parkAfter });
  // A listing that is not there means a wrong base URL.
  if (verb === 'get' && namesResource === true) return later('no', { reason: 'CONFIG', parkAfter });
  return later('no', { closesGate: true });
}

function conflict(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Judgement {
  if (verb !== 'post') return park('no', 'CONFLICT', already(verb, facts, options));
  const { datasetId } = facts.details ?? {};
  return datasetId === undefined || datasetId === '' ? park('unknown', 'DUPLICATE_SUSPECTED') : done({ datasetId });
}

/** What is left: 5xx, and every status without a row. Whether it was applied is not known. */
function unproven(verb: OperationVerb, { status }: StatusFacts, { postMayRepeatOn }: ClassifyOptions): Judgement {
  if (verb === 'post' && postMayRepeatOn?.includes(status) === true) return later('no', { suspectsOutage: true });
  return verb === 'get' && !mayHeal(status) ? later('unknown', { suspectsOutage: true }) : sentWithoutAnswer[verb];
}

function mayHeal(status: number): boolean {
  return status === 500 || (status >= 502 && status <= 504) || (status >= 520 && status <= 529);
}

function already(verb: OperationVerb, { details }: StatusFacts, options: ClassifyOptions): Partial<Judgement> {
  if (verb !== 'patch' || options.alreadyInState === undefined) return {};
  const text = details?.text.toLowerCase() ?? '';
  const isAlready = options.alreadyInState.some((part) => part !== '' && text.includes(part.toLowerCase()));
  return isAlready ? { isAlready } : {};
}
