import { describe, expect, it } from 'vitest';
import { Exchange, outOfTime } from '#shared/gateway-client/transport/transport.ts';
import {
  CertificateError,
  ConnectionLostError,
  GatewayTimeoutError,
  NotSentError,
} from '#shared/gateway-client/index.ts';
import { transportError } from '#shared/gateway-client/attempt.ts';
import { plainCause } from '#shared/gateway-client/failures/error-details.ts';

/** What undici hands to a request that it starts. */
function startOf() {
  const aborts: Error[] = [];
  const abort = (reason: Error) => void aborts.push(reason);
  return { aborts, controller: { aborted: false, paused: false, reason: null, abort, pause() {}, resume() {} } };
}

describe('a request in the hands of undici', () => {
  it('is sent from its start on, and is never written twice', async () => {
    const exchange = new Exchange(1024);
    const [first, second] = [startOf(), startOf()];

    exchange.onRequestStart(first.controller);
    exchange.onRequestStart(second.controller);
    exchange.onResponseError(second.controller, new Error('gone'));

    expect([first.aborts.length, second.aborts.length]).toEqual([1, 1]);
    expect(await exchange.result).toMatchObject({ requestSent: true, brokenBy: { message: 'gone' } });
  });

  it('does not begin once its time is up', async () => {
    const exchange = new Exchange(1024);
    const start = startOf();

    exchange.end(outOfTime);
    exchange.onRequestStart(start.controller);

    expect(start.aborts).toHaveLength(1);
    expect(await exchange.result).toMatchObject({ requestSent: false, brokenBy: outOfTime });
  });
});

const redact = (text: string): string => text.replaceAll('secret', '[redacted]');
const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });

describe('transportError', () => {
  it.each([
    [false, false, 'ECONNRESET', NotSentError],
    [true, false, 'ECONNRESET', ConnectionLostError],
    [false, false, 'UND_ERR_CONNECT_TIMEOUT', NotSentError],
    [false, true, 'ANY', NotSentError],
    [true, true, 'ANY', GatewayTimeoutError],
    [true, false, 'UND_ERR_HEADERS_TIMEOUT', GatewayTimeoutError],
    [false, false, 'CERT_HAS_EXPIRED', CertificateError],
    [false, false, 'ERR_TLS_CERT_ALTNAME_INVALID', CertificateError],
    [true, false, 'CERT_HAS_EXPIRED', ConnectionLostError],
  ])('with sent %s, deadline %s and code %s makes the right class', (requestSent, deadline, code, errorClass) => {
    const brokenBy = deadline ? outOfTime : withCode(code);
    const error = transportError('GET /x', { requestSent, brokenBy }, redact);

    expect(error).toBeInstanceOf(errorClass);
    expect(error.requestSent).toBe(requestSent);
  });
});

describe('plainCause', () => {
  it('keeps message and code alone, redacted and on one line', () => {
    const caught = Object.assign(new Error('parsing "secret"\r\nfailed'), {
      code: 'HPE_INVALID',
      data: 'secret',
      socket: {},
    });

    const cause = plainCause(caught, redact);

    expect(cause?.message).toBe(String.raw`parsing "[redacted]"\r\nfailed`);
    expect(Object.entries(cause ?? {})).toEqual([['code', 'HPE_INVALID']]);
  });

  it('says what the first address said if all addresses failed', () => {
    expect(plainCause(new AggregateError([withCode('ECONNREFUSED')]), redact)).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each([['a string'], [null], [{ code: 7 }]])('makes a cause of %o', (caught) => {
    expect(plainCause(caught, redact)).toMatchObject({ message: 'no error was given' });
  });
});
