import { parseErrorDetails } from '../failures/error-details.ts';
import { BadBodyError, BadStatusError, RedirectError } from '../failures/answer-errors.ts';
import { GatewayTimeoutError } from '../failures/errors.ts';
import type { WireAnswer } from './exchange.ts';
import { parseRetryAfter } from '../retry-timing.ts';
import type { Redact } from '../../text/redact.ts';
import { visibleTextWithin } from '../../text/visible-text.ts';
import type { Schema } from '../endpoints/schema.ts';
import { plainCause } from '../failures/transport-failure.ts';

/** How an answer is to be read. */
export interface Reading<T> {
  /** The request in words, for messages: method and path template. */
  readonly what: string;
  readonly schema: Schema<T>;
  readonly namesResource: boolean;
  readonly nowMs: number;
  readonly redact: Redact;
}

/** The value of a good answer; any other is thrown as the error that it means. */
export function readAnswer<T>(answer: WireAnswer, reading: Reading<T>): T {
  const { status } = answer;
  if (status >= 300 && status < 400) {
    throw new RedirectError(reading.what, { status, location: originOf(answer.headers.location, reading.redact) });
  }
  if (status < 200 || status >= 400) {
    throw new BadStatusError(reading.what, {
      status,
      details: parseErrorDetails(answer.body, reading.redact),
      retryAfterMs: parseRetryAfter(answer.headers.retryAfter, reading.nowMs),
      namesResource: reading.namesResource,
    });
  }
  return readBody(answer, reading);
}

function readBody<T>(answer: WireAnswer, reading: Reading<T>): T {
  const { what } = reading;
  const { status, headers } = answer;
  if (/^(?:text\/html|application\/xhtml)/.test(headers.contentType)) {
    throw new BadBodyError(what, { status, reason: 'not-from-api' });
  }
  if (answer.ended === 'too-big') throw new BadBodyError(what, { status, reason: 'too-big' });
  if (answer.ended === 'deadline') throw new GatewayTimeoutError(what, { phase: 'body', status });
  if (answer.ended === 'lost') {
    const cause = plainCause(answer.lostBy, reading.redact);
    throw new BadBodyError(what, { status, reason: 'truncated', cause });
  }
  const parsed = reading.schema.parse(parseBody(answer, what), answer.body);
  if ('value' in parsed) return parsed.value;
  const problems = parsed.problems.map((problem) => visibleTextWithin(reading.redact(problem), 200));
  throw new BadBodyError(what, { status, reason: 'wrong-shape', problems });
}

function parseBody(answer: WireAnswer, what: string): unknown {
  const text = answer.body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's error as cause: it quotes the body.
    throw new BadBodyError(what, {
      status: answer.status,
      reason: isForeign(answer, text) ? 'not-from-api' : 'not-json',
    });
  }
}

/** Says whether a body that is no JSON comes from something else than the interface, such as a proxy with a page of its own. */
function isForeign(answer: WireAnswer, text: string): boolean {
  const type = answer.headers.contentType;
  const saysJson = type === '' || /^(?:application|text)\/(?:[\w.-]+\+)?json\b/.test(type);
  return !saysJson || text.trimStart().startsWith('<');
}

function originOf(location: string | undefined, redact: Redact): string | undefined {
  if (location === undefined) return undefined;
  // A relative Location stays on the origin that was asked.
  if (!URL.canParse(location)) return '(the same origin)';
  const { origin } = new URL(location);
  return origin === 'null' ? undefined : visibleTextWithin(redact(origin), 300);
}
