import { describe, expect, it } from 'vitest';
import { AppError } from '#shared/errors/app-error.ts';
import { failureFacts } from '#shared/gateway-client/failures/failure-facts.ts';
import {
  BadBodyError,
  BadStatusError,
  CertificateError,
  ConnectionLostError,
  CursorLoopError,
  GatewayTimeoutError,
  InvalidInputError,
  MalformedTokenError,
  NotSentError,
  PageLimitError,
  RedirectError,
  TokenUnavailableError,
} from '#shared/gateway-client/index.ts';

const what = 'GET /x';
const details = { text: 'already running', fields: [], datasetId: 'ds-1' };

describe('failureFacts', () => {
  it.each([
    [new InvalidInputError('limit', 'must be 1'), { kind: 'invalid-input' }],
    [new MalformedTokenError('is empty'), { kind: 'no-token' }],
    [new TokenUnavailableError(undefined), { kind: 'before-sending' }],
    [new TokenUnavailableError(undefined, { retryable: false }), { kind: 'no-token' }],
    [
      new NotSentError(what, new AppError('later', { code: 'SLOT_TOO_FAR', retryable: true })),
      { kind: 'no-time-left' },
    ],
    [new NotSentError(what), { kind: 'no-answer', requestSent: false, certificate: false }],
    [new CertificateError(what, undefined), { kind: 'no-answer', requestSent: false, certificate: true }],
    [new ConnectionLostError(what, undefined), { kind: 'no-answer', requestSent: true, certificate: false }],
    [new GatewayTimeoutError(what, { phase: 'headers' }), { kind: 'no-answer', requestSent: true, certificate: false }],
    [new GatewayTimeoutError(what, { phase: 'body', status: 200 }), { kind: 'body', reason: 'truncated' }],
    [
      new BadStatusError(what, { status: 409, details, retryAfterMs: 1000, namesResource: true }),
      {
        kind: 'status',
        status: 409,
        retryAfterMs: 1000,
        namesResource: true,
        text: 'already running',
        datasetId: 'ds-1',
      },
    ],
    [new BadBodyError(what, { status: 200, reason: 'not-json' }), { kind: 'body', reason: 'not-json' }],
    [new RedirectError(what, { status: 307 }), { kind: 'redirect', status: 307 }],
    [new CursorLoopError(3), { kind: 'endless-listing', loop: true }],
    [new PageLimitError(3), { kind: 'endless-listing', loop: false }],
    [new Error('anything else'), { kind: 'unknown' }],
    ['a string', { kind: 'unknown' }],
    [{ kind: '__proto__' }, { kind: 'unknown' }],
  ])('reads %s', (failure, facts) => {
    expect(failureFacts(failure)).toEqual(facts);
  });
});
