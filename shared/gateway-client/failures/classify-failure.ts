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
  switch (facts.kind) {
    case 'invalid-input':
      return park('no', 'VALIDATION');
    case 'no-token':
      return later('no', { closesGate: true, isAuthRefused: true });
    case 'no-answer':
      return noAnswerVerdict(verb, facts);
    case 'status':
      return statusVerdict(verb, facts, options);
    case 'body':
      return facts.reason === 'not-from-api' ? foreignBody[verb] : brokenBody[verb];
    case 'redirect':
      // A 303 says "done, look over there": of the redirects the only one that may follow an effect.
      return park(facts.status === 303 ? 'unknown' : 'no', 'REDIRECT', { closesGate: true });
    case 'endless-listing':
      return park('no', facts.loop ? 'CURSOR_LOOP' : 'CONFIG');
    case 'before-sending':
      return later('no', facts.denied === true ? { closesGate: true } : {});
    case 'unrecorded':
      return done();
    case 'no-time-left':
      return later('no');
    case 'horizon':
      return park(verb === 'get' ? 'no' : 'unknown', 'HORIZON_EXCEEDED');
    case 'unknown':
      break;
  }
  return sentWithoutAnswer[verb];
}

type NoAnswer = Extract<FailureFacts, { kind: 'no-answer' }>;
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

function noAnswerVerdict(verb: OperationVerb, facts: NoAnswer): Verdict {
  if (facts.requestSent) return sentWithoutAnswer[verb];
  return facts.certificate === true ? later('no', { closesGate: true }) : now('no', 2, { suspectsOutage: true });
}
