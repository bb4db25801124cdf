import {
  type ClassifyOptions,
  appliedVerdict,
  failureFacts,
  type FailureFacts,
  waitingVerdict,
  now,
  type OperationVerb,
  park,
  type Verdict,
} from './failure-facts.ts';

/**
 * What may come next after a failed call: the one place that decides whether something may be sent
 * twice. Pure and total: any value gives a verdict, and what is not known counts as sent.
 *
 * A GET repeats freely. A PATCH sets a state, so it may be repeated, but not beside one that may
 * still land. A POST makes a new dataset each time: it repeats only when it is proven that the
 * first one was not applied.
 * @param failure what the client threw, or the facts if the failure was not the client's
 * @example
 * const verdict = classifyFailure('post', error);
 * if (verdict.next === 'park') await ledger.park(key, verdict.reason);
 */
export function classifyFailure(verb: OperationVerb, failure: unknown, options: ClassifyOptions = {}): Verdict {
  const facts = failureFacts(failure);
  const judge = judges[facts.kind] as Judge<FailureFacts['kind']>;
  return judge(facts, verb, options);
}

type Judge<Kind extends FailureFacts['kind']> = (
  facts: Extract<FailureFacts, { kind: Kind }>,
  verb: OperationVerb,
  options: ClassifyOptions,
) => Verdict;

const judges: { readonly [Kind in FailureFacts['kind']]: Judge<Kind> } = {
  'invalid-input': () => park('no', 'VALIDATION'),
  'no-token': () => waitingVerdict('no', { closesGate: true, isAuthRefused: true }),
  'no-answer': noAnswerVerdict,
  status: (facts, verb, options) => statusVerdict(verb, facts, options),
  body: ({ reason }, verb) => (reason === 'not-from-api' ? foreignBody[verb] : brokenBody[verb]),
  // A 303 says "done, look over there": of the redirects the only one that may follow an effect.
  redirect: ({ status }) => park(status === 303 ? 'unknown' : 'no', 'REDIRECT', { closesGate: true }),
  'endless-listing': ({ loop }) => park('no', loop ? 'CURSOR_LOOP' : 'CONFIG'),
  'before-sending': ({ denied }) => waitingVerdict('no', denied === true ? { closesGate: true } : {}),
  unrecorded: () => appliedVerdict(),
  'no-time-left': () => waitingVerdict('no'),
  horizon: (_facts, verb) => park(verb === 'get' ? 'no' : 'unknown', 'HORIZON_EXCEEDED'),
  unknown: (_facts, verb) => sentWithoutAnswer[verb],
};

type VerdictByVerb = Readonly<Record<OperationVerb, Verdict>>;

const sentWithoutAnswer: VerdictByVerb = {
  get: now('unknown', 2, { suspectsOutage: true }),
  patch: waitingVerdict('unknown', { afterInDoubt: true, suspectsOutage: true }),
  post: park('unknown', 'POST_OUTCOME_UNKNOWN', { suspectsOutage: true }),
};

/** A 2xx says that it was done, with any body. */
const brokenBody: VerdictByVerb = {
  get: now('yes', 1),
  patch: appliedVerdict(),
  post: park('yes', 'APPLIED_ID_UNKNOWN'),
};

/**
 * A 200 from something that is not the interface: a login page, a proxy. Whether the gateway itself
 * saw the request is not known.
 */
const foreignBody: VerdictByVerb = {
  get: now('unknown', 1, { closesGate: true }),
  patch: waitingVerdict('unknown', { afterInDoubt: true, suspectsOutage: true }),
  post: park('unknown', 'POST_OUTCOME_UNKNOWN', { suspectsOutage: true }),
};

function noAnswerVerdict(facts: Extract<FailureFacts, { kind: 'no-answer' }>, verb: OperationVerb): Verdict {
  if (facts.requestSent) return sentWithoutAnswer[verb];
  return facts.certificate === true
    ? waitingVerdict('no', { closesGate: true })
    : now('no', 2, { suspectsOutage: true });
}

type StatusFacts = Extract<FailureFacts, { kind: 'status' }>;

/**
 * A pause for a gateway that names none: ten messages in flight get to see it, and a limit per
 * second has passed.
 */
const defaultPauseMs = 5000;
/** A run or campaign that was just made may not be everywhere yet. */
const notFoundPatienceMs = 10 * 60_000;
const forbiddenTries = 3;

type StatusRow = (verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions) => Verdict;

/** The rows of the table for an answer that is neither 2xx nor 3xx. */
const rows: Readonly<Record<number, StatusRow>> = {
  400: invalidVerdict,
  // The client has read the token again before this came out.
  401: () => waitingVerdict('no', { closesGate: true, isAuthRefused: true }),
  403: () =>
    waitingVerdict('no', {
      reason: 'FORBIDDEN',
      isAuthRefused: true,
      suspectsOutage: true,
      parkAfter: { tries: forbiddenTries },
    }),
  404: notFoundVerdict,
  405: invalidVerdict,
  406: invalidVerdict,
  408: notReadyVerdict,
  409: conflictVerdict,
  410: notFoundVerdict,
  412: preconditionVerdict,
  413: invalidVerdict,
  415: invalidVerdict,
  422: invalidVerdict,
  425: notReadyVerdict,
  428: preconditionVerdict,
  429: (_verb, { retryAfterMs }) => waitingVerdict('no', { pauseMs: retryAfterMs ?? defaultPauseMs }),
};

/** What an answer that is neither 2xx nor 3xx means, by the table. */
export function statusVerdict(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Verdict {
  return (rows[facts.status] ?? serverErrorVerdict)(verb, facts, options);
}

function invalidVerdict(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Verdict {
  return verb === 'patch' && saysDone(facts, options) ? appliedVerdict() : park('no', 'VALIDATION');
}

function notReadyVerdict(verb: OperationVerb): Verdict {
  return verb === 'get' ? now('no', 1) : waitingVerdict('no');
}

function preconditionVerdict(verb: OperationVerb): Verdict {
  if (verb === 'patch') return now('no', 1, { rereadFirst: true, afterNow: 'park', reason: 'CONFLICT' });
  return park('no', verb === 'post' ? 'VALIDATION' : 'CONFLICT');
}

function notFoundVerdict(verb: OperationVerb, facts: StatusFacts): Verdict {
  const parkAfter = { withinMs: notFoundPatienceMs };
  if (verb === 'patch') return waitingVerdict('no', { reason: 'RUN_NOT_FOUND', parkAfter });
  // One campaign that is not there is no reason to stop the others; a listing that is not there
  // means a wrong base URL.
  if (verb === 'get' && facts.namesResource === true) return waitingVerdict('no', { reason: 'CONFIG', parkAfter });
  return waitingVerdict('no', { closesGate: true });
}

function conflictVerdict(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Verdict {
  if (verb === 'patch' && saysDone(facts, options)) return appliedVerdict();
  if (verb !== 'post') return park('no', 'CONFLICT');
  return facts.datasetId === undefined || facts.datasetId === ''
    ? park('unknown', 'DUPLICATE_SUSPECTED')
    : appliedVerdict({ datasetId: facts.datasetId });
}

/** What is left: 5xx, and every status without a rule. */
function serverErrorVerdict(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Verdict {
  const { status } = facts;
  if (status === 503 && facts.retryAfterMs !== undefined) return waitingVerdict('no', { pauseMs: facts.retryAfterMs });
  if (status === 501 || status === 505) return park('no', 'VALIDATION');
  if (verb === 'post') return failedPostVerdict(status, options);
  if (!mayHeal(status)) return park('unknown', 'VALIDATION');
  return verb === 'get'
    ? now('unknown', 2, { suspectsOutage: true })
    : waitingVerdict('unknown', { afterInDoubt: true, suspectsOutage: true });
}

function failedPostVerdict(status: number, { postMayRepeatOn }: ClassifyOptions): Verdict {
  const more = mayHeal(status) ? { suspectsOutage: true } : {};
  if (postMayRepeatOn?.includes(status) === true) return waitingVerdict('no', more);
  return park('unknown', 'POST_OUTCOME_UNKNOWN', more);
}

function mayHeal(status: number): boolean {
  return status === 500 || (status >= 502 && status <= 504) || (status >= 520 && status <= 529);
}

function saysDone(facts: StatusFacts, options: ClassifyOptions): boolean {
  const text = facts.text ?? '';
  const patterns = options.alreadyInState;
  if (patterns === undefined) return false;
  // search, not test: a pattern with the flag g remembers its last position.
  if (patterns instanceof RegExp) return text.search(patterns) >= 0;
  return patterns.some((pattern) => pattern !== '' && text.toLowerCase().includes(pattern.toLowerCase()));
}
