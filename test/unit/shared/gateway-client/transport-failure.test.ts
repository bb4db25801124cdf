import { describe, expect, it } from 'vitest';
import {
  CertificateError,
  ConnectionLostError,
  GatewayTimeoutError,
  NotSentError,
} from '#shared/gateway-client/index.ts';
import { transportError } from '#shared/gateway-client/attempt.ts';
import { plainCause } from '#shared/gateway-client/failures/error-details.ts';
import { outOfTime } from '#shared/gateway-client/transport/transport.ts';

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
