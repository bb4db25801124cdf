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
const ofEdge = (httpStatus: number): ReadFailure => ({
  ...status(httpStatus),
  message: `GET /x was answered ${httpStatus} with a page`,
  speaker: 'edge',
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
  [
    'a redirect',
    { code: 'REDIRECT', message: 'a redirect to https://x' },
    /https:\/\/x: .*no token follows/,
    /gateway\.baseUrl/,
  ],
  ['a page instead of data', { code: 'FOREIGN_BODY', message: 'not-from-api' }, /with its own page/, /firewall, proxy/],
  ['a firewall', ofEdge(403), /403 with a page: something before the gateway refuses; its token or/, /firewall, proxy/],
  [
    'a tunnel that is down',
    ofEdge(530),
    /530 with a page: .* answers in its place, such as a tunnel/,
    /whether it reaches/,
  ],
  ['a request that is too large', ofEdge(413), /refuses this request, for its form or size/, /which rule/],
  ['a proxy that wants a password', status(407), /asks for credentials, and none are ever sent/, /by their network/],
  [
    'headers without end',
    notSent('UND_ERR_HEADERS_OVERFLOW', 'CONNECTION_LOST'),
    /are over 64 KB \(UND_/,
    /which headers/,
  ],
  ['a broken header line', notSent('HPE_INVALID_HEADER_TOKEN', 'CONNECTION_LOST'), /rules of HTTP\/1.1 \(HPE_/, /code/],
  ['no answer in time', { code: 'TIMEOUT', message: 'timed out' }, /does not answer them: timed out/, /people/],
  ['a connection that ends', { code: 'CONNECTION_LOST', message: 'lost' }, /does not answer them: lost/, /people/],
  ['a private authority', notSent('SELF_SIGNED_CERT_IN_CHAIN', 'CERTIFICATE'), /authority .* do not know/, /caBundle/],
  ['a leaf alone', notSent('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERTIFICATE'), /not send the intermediate/, /caBundle/],
  ['another name', notSent('ERR_TLS_CERT_ALTNAME_INVALID', 'CERTIFICATE'), /is for another host/, /gateway\.baseUrl/],
  [
    'an old certificate',
    notSent('CERT_HAS_EXPIRED', 'CERTIFICATE'),
    /example\.com: its certificate has expired/,
    /renew it/,
  ],
  [
    'a name that is not known',
    notSent('ENOTFOUND'),
    /gateway\.example\.com: its name is not known/,
    /gateway\.baseUrl/,
  ],
  [
    'a gateway that is down',
    notSent('ECONNREFUSED'),
    /gateway\.example\.com: nothing listens there/,
    /gateway's people/,
  ],
  ['a closed network', notSent('UND_ERR_CONNECT_TIMEOUT'), /no connection can be made/, /subnets, security groups/],
  ['http at the other end', notSent('ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS/, /gateway\.baseUrl/],
  [
    'a proxy that refuses',
    { ...notSent('PROXY_TUNNEL'), causeMessage: 'the proxy answered 407' },
    /makes no tunnel: the proxy answered 407$/,
    /gateway\.proxy/,
  ],
  [
    'a proxy that does not reach the gateway',
    { ...notSent('PROXY_NO_WAY'), causeMessage: 'the proxy answered 502 and made no tunnel' },
    /gateway\.example\.com: the configured proxy finds no way to it: the proxy answered 502/,
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
