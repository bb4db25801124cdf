import { describe, expect, it } from 'vitest';
import {
  BadBodyError,
  type BadBodyReason,
  BadStatusError,
  CertificateError,
  classifyFailure,
  ConnectionLostError,
  GatewayTimeoutError,
  InvalidInputError,
  MalformedTokenError,
  NotSentError,
  type OperationVerb,
  RedirectError,
  TokenUnavailableError,
  type Verdict,
} from '#shared/gateway-client/index.ts';

const what = 'GET /x';
const noDetails = { text: '', fields: [] };
const status = (code: number, more: Partial<ConstructorParameters<typeof BadStatusError>[1]> = {}): BadStatusError =>
  new BadStatusError(what, { status: code, details: noDetails, ...more });
const ofEdge: typeof status = (code, more) => status(code, { details: { ...noDetails, speaker: 'edge' }, ...more });
const body = (reason: BadBodyReason): BadBodyError => new BadBodyError(what, { status: 200, reason });

/**
 * `get | patch | post`, each `applied next reason`, then what the worker has to do beside it: `now×n`
 * repeats in process, `≤` parks after so many tries or minutes, `!` closes the gate, `?` suspects
 * an outage, `~` pauses all workers, `token` says that the token is refused.
 */
type Row = readonly [name: string, failure: unknown, get: string, patch: string, post: string];

const sameForAll = (name: string, failure: unknown, cell: string): Row => [name, failure, cell, cell, cell];

const brokenBody: readonly Row[] = (['truncated', 'not-json', 'wrong-shape', 'too-big', 'empty'] as const).map(
  (reason) => [
    `2xx with a body that is ${reason}`,
    body(reason),
    'yes later now×1',
    'yes applied',
    'yes park APPLIED_ID_UNKNOWN ?',
  ],
);
/** No one knows how it ended. */
const unknown = ['unknown later now×2 ?', 'unknown later ?', 'unknown park POST_OUTCOME_UNKNOWN ?'] as const;
const mayHeal = [500, 502, 503, 504, 520, 524, 529].map((code): Row => [
  `${code}${code === 503 ? ' without Retry-After' : ''}`,
  status(code),
  ...unknown,
]);

const conflict = 'no park CONFLICT';
const notFound = 'no later RUN_NOT_FOUND ≤10min';

const table: readonly Row[] = [
  sameForAll('not sent', new NotSentError(what), 'no later now×2 ?'),
  sameForAll('a certificate', new CertificateError(what, undefined), 'no later !'),
  ['sent, no answer', new ConnectionLostError(what, undefined), ...unknown],
  ...brokenBody,
  ['2xx that is not from the interface', body('not-from-api'), 'unknown later now×1 !', unknown[1], unknown[2]],
  ...[301, 302, 304, 307, 308].map((code) =>
    sameForAll(`${code}`, new RedirectError(what, { status: code }), 'no later !'),
  ),
  [
    '303',
    new RedirectError(what, { status: 303 }),
    'unknown later !',
    'unknown later !',
    'unknown park POST_OUTCOME_UNKNOWN !',
  ],
  ...[400, 405, 406, 411, 413, 414, 415, 422, 431, 501, 505].map((code): Row => [
    `${code} of an edge`,
    ofEdge(code),
    'no later EDGE_REFUSED ≤3 in 60min',
    'no later',
    'no later EDGE_REFUSED ≤3 in 60min',
  ]),
  ...[401, 407].map((code) => sameForAll(`${code} of an edge`, ofEdge(code), 'no later ! token')),
  ...[403, 404, 410, 421, 451].map((code) => sameForAll(`${code} of an edge`, ofEdge(code), 'no later ?')),
  ...[409, 412, 428, 499, 507, 530, 561, 599, 999].map((code): Row => [
    `${code} of an edge`,
    ofEdge(code),
    'unknown later ?',
    unknown[1],
    unknown[2],
  ]),
  ...[500, 502, 503, 524].map((code): Row => [`${code} of an edge`, ofEdge(code), ...unknown]),
  ...[408, 425].map((code): Row => [`${code} of an edge`, ofEdge(code), 'no later now×1', 'no later', 'no later']),
  sameForAll('429 of an edge', ofEdge(429), 'no later ~5s'),
  sameForAll('503 of an edge with Retry-After', ofEdge(503, { retryAfterMs: 9000 }), 'no later ~9s'),
  [
    'an unasked 100',
    new ConnectionLostError(what, Object.assign(new Error('bad response'), { code: 'UNASKED_CONTINUE' })),
    `${unknown[0].replace(' ?', '')} ! ?`,
    'unknown later ! ?',
    'unknown park POST_OUTCOME_UNKNOWN ! ?',
  ],
  ...[400, 405, 406, 411, 413, 414, 415, 422, 431].map((code) =>
    sameForAll(`${code}`, status(code), 'no park VALIDATION'),
  ),
  ...[401, 407].map((code) => sameForAll(`${code} with the same token`, status(code), 'no later ! token')),
  ...[403, 451].map((code) => sameForAll(`${code}`, status(code), 'no later FORBIDDEN ≤3 ? token')),
  sameForAll('421', status(421), 'no later ?'),
  ...[404, 410].map((code): Row => [`${code}`, status(code), 'no later !', notFound, 'no later !']),
  ...[404, 410].map((code): Row => [
    `${code} of one resource`,
    status(code, { namesResource: true }),
    'no later CONFIG ≤10min',
    notFound,
    'no later !',
  ]),
  ...[408, 425].map((code): Row => [`${code}`, status(code), 'no later now×1', 'no later', 'no later']),
  ['409', status(409), conflict, conflict, 'unknown park DUPLICATE_SUSPECTED'],
  ...[412, 428].map((code): Row => [`${code}`, status(code), conflict, conflict, 'no park VALIDATION']),
  sameForAll('429', status(429), 'no later ~5s'),
  sameForAll('429 with Retry-After', status(429, { retryAfterMs: 7000 }), 'no later ~7s'),
  sameForAll('503 with Retry-After', status(503, { retryAfterMs: 9000 }), 'no later ~9s'),
  ...mayHeal,
  ...[501, 505].map((code) => sameForAll(`${code}`, status(code), 'no park VALIDATION')),
  ...[402, 418, 499, 507, 530, 599].map((code): Row => [
    `${code}`,
    status(code),
    'unknown later ?',
    unknown[1],
    unknown[2],
  ]),
  sameForAll('a token store that failed for now', new TokenUnavailableError(undefined), 'no later'),
  sameForAll('no token', new TokenUnavailableError(undefined, { retryable: false }), 'no later ! token'),
  sameForAll('a token that cannot be sent', new MalformedTokenError('is empty'), 'no later ! token'),
  sameForAll('kept back by our own pace', new NotSentError(what, undefined, 'before-sending'), 'no later'),
  sameForAll('bad input', new InvalidInputError('limit', 'must be 1'), 'no park VALIDATION'),
  ['nothing known', new Error('anything else'), ...unknown],
];

function cellOf(verdict: Verdict): string {
  const { applied, next, repeatsNow, reason, parkAfter, pauseMs } = verdict;
  const { tries, perMs, withinMs } = parkAfter ?? {};
  return [
    applied,
    next,
    repeatsNow === undefined ? '' : `now×${repeatsNow}`,
    reason,
    tries === undefined ? '' : `≤${tries}`,
    perMs === undefined ? '' : `in ${perMs / 60_000}min`,
    withinMs === undefined ? '' : `≤${withinMs / 60_000}min`,
    verdict.closesGate === true ? '!' : '',
    verdict.suspectsOutage === true ? '?' : '',
    pauseMs === undefined ? '' : `~${pauseMs / 1000}s`,
    verdict.isAuthRefused === true ? 'token' : '',
  ]
    .filter(Boolean)
    .join(' ');
}

const verbs: readonly OperationVerb[] = ['get', 'patch', 'post'];

const cells = table.flatMap(([name, failure, ...row]) =>
  verbs.map((verb, column) => ({ name, failure, verb, cell: row[column] })),
);

describe('classifyFailure', () => {
  it.each(cells)('says for a $verb that met $name: $cell', ({ verb, failure, cell }) => {
    expect(cellOf(classifyFailure(verb, failure))).toBe(cell);
  });

  it('carries the words and the evidence for the row', () => {
    const failure = status(422, { details: { text: '…', fields: [{ field: 'body.name', message: 'too long' }] } });

    expect(classifyFailure('post', failure)).toMatchObject({
      why: 'GET /x was answered 422: body.name: too long',
      evidence: { errorCode: 'BAD_STATUS', requestSent: true, httpStatus: 422 },
    });
    expect(classifyFailure('post', new NotSentError(what))).toMatchObject({
      why: 'GET /x was not sent',
      evidence: { errorCode: 'NOT_SENT', requestSent: false, httpStatus: undefined },
    });
    expect(classifyFailure('post', new Error('anything else'))).toMatchObject({ why: 'anything else', evidence: {} });
  });

  it('takes a 2xx whose body does not end in time for any other broken body', () => {
    const failure = new GatewayTimeoutError(what, { phase: 'body', status: 200 });

    expect(verbs.map((verb) => classifyFailure(verb, failure).next)).toEqual(['later', 'applied', 'park']);
    expect(classifyFailure('post', new GatewayTimeoutError(what, { phase: 'headers' })).reason).toBe(
      'POST_OUTCOME_UNKNOWN',
    );
  });

  it('takes a 409 as applied if it names the dataset', () => {
    const verdict = classifyFailure('post', status(409, { details: { ...noDetails, datasetId: 'ds-1' } }));

    expect(verdict).toMatchObject({ applied: 'yes', next: 'applied', datasetId: 'ds-1' });
  });

  it('repeats a POST after a status that the vendor vouches for, and after no other; an outage is suspected all the same', () => {
    const options = { postMayRepeatOn: [502] };

    expect(cellOf(classifyFailure('post', status(502), options))).toBe('no later ?');
    expect(classifyFailure('post', status(500), options)).toMatchObject({ applied: 'unknown', next: 'park' });
    expect(classifyFailure('patch', status(502), options)).toMatchObject({ applied: 'unknown', next: 'later' });
  });

  // A 422 that was vouched for came back for a day instead of being parked with its text.
  it.each([400, 401, 403, 404, 409, 422, 429, 501])('has a rule for %i that no vendor can change', (code) => {
    expect(classifyFailure('post', status(code), { postMayRepeatOn: [code] })).toEqual(
      classifyFailure('post', status(code)),
    );
  });
});
