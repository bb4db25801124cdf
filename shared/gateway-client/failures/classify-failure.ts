import { failureFacts } from './failure-facts.ts';
import type { FailureFacts } from './failure-facts.ts';
import { statusVerdict } from './status-verdict.ts';
import { done, later, now, park } from './verdict.ts';
import type { ClassifyOptions, OperationVerb, Verdict } from './verdict.ts';

/**
 * What may come next after a failed call: the one place that decides whether something may be sent twice. Pure and total: any value gives a
 * verdict, and what is not known counts as sent.
 *
 * A GET repeats freely. A PATCH sets a state, so it may be repeated, but not beside one that may still land. A POST makes a new dataset each
 * time: it repeats only when it is proven that the first one was not applied.
 * @param failure what the client threw, or the facts where the failure was not the client's
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
  'no-token': () => later('no', { closesGate: true, isAuthRefused: true }),
  'no-answer': noAnswerVerdict,
  status: (facts, verb, options) => statusVerdict(verb, facts, options),
  body: ({ reason }, verb) => (reason === 'not-from-api' ? foreignBody[verb] : brokenBody[verb]),
  // A 303 says "done, look over there": of the redirects the only one that may follow an effect.
  redirect: ({ status }) => park(status === 303 ? 'unknown' : 'no', 'REDIRECT', { closesGate: true }),
  'endless-listing': ({ loop }) => park('no', loop ? 'CURSOR_LOOP' : 'CONFIG'),
  'before-sending': ({ denied }) => later('no', denied === true ? { closesGate: true } : {}),
  unrecorded: () => done(),
  'no-time-left': () => later('no'),
  horizon: (_facts, verb) => park(verb === 'get' ? 'no' : 'unknown', 'HORIZON_EXCEEDED'),
  unknown: (_facts, verb) => sentWithoutAnswer[verb],
};

type VerdictByVerb = Readonly<Record<OperationVerb, Verdict>>;

const sentWithoutAnswer: VerdictByVerb = {
  get: now('unknown', 2, { suspectsOutage: true }),
  patch: later('unknown', { afterInDoubt: true, suspectsOutage: true }),
  post: park('unknown', 'POST_OUTCOME_UNKNOWN', { suspectsOutage: true }),
};

/** A 2xx says that it was done, whatever its body looks like. */
const brokenBody: VerdictByVerb = {
  get: now('yes', 1),
  patch: done(),
  post: park('yes', 'APPLIED_ID_UNKNOWN'),
};

/** A 200 from something that is not the interface: a login page, a proxy. Whether the gateway itself saw the request nobody knows. */
const foreignBody: VerdictByVerb = {
  get: now('unknown', 1, { closesGate: true }),
  patch: later('unknown', { afterInDoubt: true, suspectsOutage: true }),
  post: park('unknown', 'POST_OUTCOME_UNKNOWN', { suspectsOutage: true }),
};

function noAnswerVerdict(facts: Extract<FailureFacts, { kind: 'no-answer' }>, verb: OperationVerb): Verdict {
  if (facts.requestSent) return sentWithoutAnswer[verb];
  return facts.certificate === true ? later('no', { closesGate: true }) : now('no', 2, { suspectsOutage: true });
}
