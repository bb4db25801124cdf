import type { FailureFacts } from './failure-facts.ts';
import { done, later, now, park } from './verdict.ts';
import type { ClassifyOptions, OperationVerb, Verdict } from './verdict.ts';

type StatusFacts = Extract<FailureFacts, { kind: 'status' }>;

/** A pause for a gateway that names none: ten messages in flight get to see it, and a limit per second has passed. */
const defaultPauseMs = 5000;
/** A run or campaign that was just made may not be everywhere yet. */
const notFoundPatienceMs = 10 * 60_000;
const forbiddenTries = 3;

/** The rows of the table for an answer that is neither 2xx nor 3xx. */
export function statusVerdict(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Verdict {
  const { status } = facts;
  switch (status) {
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
    case 422:
      return verb === 'patch' && saysDone(facts, options) ? done() : park('no', 'VALIDATION');
    case 401:
      // The client has read the token again before this came out.
      return later('no', { closesGate: true, isAuthRefused: true });
    case 403:
      return later('no', {
        reason: 'FORBIDDEN',
        isAuthRefused: true,
        suspectsOutage: true,
        parkAfter: { tries: forbiddenTries },
      });
    case 404:
    case 410:
      return notFoundVerdict(verb, facts);
    case 408:
    case 425:
      return verb === 'get' ? now('no', 1) : later('no');
    case 409:
      return conflictVerdict(verb, facts, options);
    case 412:
    case 428:
      return verb === 'patch'
        ? now('no', 1, { rereadFirst: true, afterNow: 'park', reason: 'CONFLICT' })
        : park('no', verb === 'post' ? 'VALIDATION' : 'CONFLICT');
    case 429:
      return later('no', { pauseMs: facts.retryAfterMs ?? defaultPauseMs });
    default:
      return serverErrorVerdict(verb, facts, options);
  }
}

function notFoundVerdict(verb: OperationVerb, facts: StatusFacts): Verdict {
  const parkAfter = { withinMs: notFoundPatienceMs };
  if (verb === 'patch') return later('no', { reason: 'RUN_NOT_FOUND', parkAfter });
  // One campaign that is not there is no reason to stop the others; a listing that is not there means a wrong base URL.
  if (verb === 'get' && facts.namesResource === true) return later('no', { reason: 'CONFIG', parkAfter });
  return later('no', { closesGate: true });
}

function conflictVerdict(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Verdict {
  if (verb === 'patch' && saysDone(facts, options)) return done();
  if (verb !== 'post') return park('no', 'CONFLICT');
  return facts.datasetId === undefined || facts.datasetId === ''
    ? park('unknown', 'DUPLICATE_SUSPECTED')
    : done({ datasetId: facts.datasetId });
}

/** What is left: 5xx, and what nobody has thought of. */
function serverErrorVerdict(verb: OperationVerb, facts: StatusFacts, options: ClassifyOptions): Verdict {
  const { status } = facts;
  if (status === 503 && facts.retryAfterMs !== undefined) return later('no', { pauseMs: facts.retryAfterMs });
  if (status === 501 || status === 505) return park('no', 'VALIDATION');
  const mayHeal = status === 500 || (status >= 502 && status <= 504) || (status >= 520 && status <= 529);
  if (verb === 'post' && options.postMayRepeatOn?.includes(status) === true) {
    return later('no', mayHeal ? { suspectsOutage: true } : {});
  }
  if (verb === 'post') return park('unknown', 'POST_OUTCOME_UNKNOWN', mayHeal ? { suspectsOutage: true } : {});
  if (!mayHeal) return park('unknown', 'VALIDATION');
  return verb === 'get'
    ? now('unknown', 2, { suspectsOutage: true })
    : later('unknown', { afterInDoubt: true, suspectsOutage: true });
}

function saysDone(facts: StatusFacts, options: ClassifyOptions): boolean {
  const text = facts.text ?? '';
  const patterns = options.alreadyInState;
  if (patterns === undefined) return false;
  // search, not test: a pattern with the flag g remembers where it stopped.
  if (patterns instanceof RegExp) return text.search(patterns) >= 0;
  return patterns.some((pattern) => pattern !== '' && text.toLowerCase().includes(pattern.toLowerCase()));
}
