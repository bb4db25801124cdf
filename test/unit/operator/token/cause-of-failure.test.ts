import { stepText } from '#shared/text/step.ts';
import { expect, test } from 'vitest';
import { causeOfFailure } from '#operator/token/cause-of-failure.ts';
import type { ReadFailure } from '#shared/messages/questions.ts';

const baseUrl = 'https://gateway.example.com/prefix';
const status = (httpStatus: number, said?: string): ReadFailure => ({
  code: 'BAD_STATUS',
  message: `listScannerPackages was answered ${httpStatus}`,
  httpStatus,
  ...(said === undefined ? {} : { said }),
});
const notSent = (causeCode?: string, code = 'NOT_SENT'): ReadFailure => ({
  code,
  message: 'listScannerPackages was not sent',
  ...(causeCode === undefined ? {} : { causeCode }),
});

test.each<[string, ReadFailure, RegExp, RegExp]>([
  ['a token that is refused', status(401), /refuses the token \(401\): it expired, was revoked/, /token set/],
  [
    'a permission that is missing',
    status(403, 'no reads'),
    /lacks a permission \(403: "no reads"\)/,
    /permission at the/,
  ],
  ['an unknown path', status(404), /prefix does not know it \(404\)/, /gateway\.baseUrl .* deploy/],
  ['a pause', status(429), /asks for a pause/, /again in a minute/],
  ['a gateway in trouble', status(503, 'maintenance'), /in trouble \(503: "maintenance"\)/, /gateway's people/],
  ['a status that is none of these', status(418), /was answered 418/, /gateway's people/],
  ['a redirect', { code: 'REDIRECT', message: 'a redirect to https://x' }, /never sent after it/, /gateway\.baseUrl/],
  ['a page instead of data', { code: 'BAD_BODY', message: 'not-json' }, /not as the gateway's interface/, /login page/],
  ['no answer in time', { code: 'TIMEOUT', message: 'timed out' }, /does not answer them: timed out/, /people/],
  ['a connection that ends', { code: 'CONNECTION_LOST', message: 'lost' }, /does not answer them: lost/, /people/],
  ['a private authority', notSent('SELF_SIGNED_CERT_IN_CHAIN', 'CERTIFICATE'), /authority .* do not know/, /caBundle/],
  ['a leaf alone', notSent('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERTIFICATE'), /authority .* do not know/, /caBundle/],
  ['another name', notSent('ERR_TLS_CERT_ALTNAME_INVALID', 'CERTIFICATE'), /is for another name/, /gateway\.baseUrl/],
  ['an old certificate', notSent('CERT_HAS_EXPIRED', 'CERTIFICATE'), /example\.com is not to be trusted/, /renew it/],
  ['a name that is not known', notSent('ENOTFOUND'), /the name gateway\.example\.com is not known/, /gateway\.baseUrl/],
  ['a gateway that is down', notSent('ECONNREFUSED'), /nothing listens at gateway\.example\.com/, /gateway's people/],
  ['a closed network', notSent('UND_ERR_CONNECT_TIMEOUT'), /no connection to gateway/, /subnets, security groups/],
  ['http at the other end', notSent('ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS/, /gateway\.baseUrl/],
  [
    'a proxy that refuses',
    { ...notSent('PROXY_TUNNEL'), causeMessage: 'the proxy answered 407' },
    /^the proxy answered 407$/,
    /gateway\.proxy/,
  ],
  [
    'a proxy that does not reach the gateway',
    { ...notSent('PROXY_NO_WAY'), causeMessage: 'the proxy answered 502 and made no tunnel' },
    /^the proxy finds no way to gateway\.example\.com: the proxy answered 502/,
    /^Is the gateway up, and gateway\.baseUrl right\?/,
  ],
  ['a fault of another kind', notSent(), /cannot be reached: listScannerPackages was not sent/, /gateway's people/],
  ['what this version does not know', notSent(undefined, 'NEW'), /listScannerPackages was not sent/, /people/],
])('%s: the cause and the next step, each in a few words', (_what, failure, says, next) => {
  const cause = causeOfFailure(failure, baseUrl);

  expect(cause.says).toMatch(says);
  expect(stepText(cause.next)).toMatch(next);
  expect(cause.says + cause.next.says).not.toContain('\n');
});
