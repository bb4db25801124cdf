import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyFailure } from '#shared/gateway-client/index.ts';
import type { FailureFacts, OperationVerb, Verdict } from '#shared/gateway-client/index.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const notSent: FailureFacts = { kind: 'no-answer', requestSent: false };
const noAnswer: FailureFacts = { kind: 'no-answer', requestSent: true };
const status = (code: number, more: object = {}): FailureFacts => ({ kind: 'status', status: code, ...more });
const body = (reason: 'truncated' | 'not-json' | 'wrong-shape' | 'too-big' | 'not-from-api'): FailureFacts => ({
  kind: 'body',
  reason,
});

/**
 * `get | patch | post`, each `applied next reason`, then what the worker has to do beside it: `×n`
 * repeats in process, `≤` parks after so many tries or minutes, `!` closes the gate, `?` suspects
 * an outage, `~` pauses all workers, `doubt` waits until the first request cannot land any more,
 * `reread` reads the state again before it repeats, `token` says that the token is refused.
 */
type Row = readonly [name: string, facts: FailureFacts, get: string, patch: string, post: string];

const sameForAll = (name: string, facts: FailureFacts, cell: string): Row => [name, facts, cell, cell, cell];

const brokenBody: readonly Row[] = (['truncated', 'not-json', 'wrong-shape', 'too-big'] as const).map((reason) => [
  `2xx with a body that is ${reason}`,
  body(reason),
  'yes now×1 then later',
  'yes applied',
  'yes park APPLIED_ID_UNKNOWN',
]);
const mayHeal: readonly Row[] = [500, 502, 503, 504, 520, 524, 529].map((code) => [
  `${code}${code === 503 ? ' without Retry-After' : ''}`,
  status(code),
  'unknown now×2 then later ?',
  'unknown later ? doubt',
  'unknown park POST_OUTCOME_UNKNOWN ?',
]);

const table: readonly Row[] = [
  sameForAll('not sent', notSent, 'no now×2 then later ?'),
  sameForAll('a certificate', { kind: 'no-answer', requestSent: false, certificate: true }, 'no later !'),
  [
    'sent, no answer',
    noAnswer,
    'unknown now×2 then later ?',
    'unknown later ? doubt',
    'unknown park POST_OUTCOME_UNKNOWN ?',
  ],
  ...brokenBody,
  [
    '2xx that is not from the interface',
    body('not-from-api'),
    'unknown now×1 then later !',
    'unknown later ? doubt',
    'unknown park POST_OUTCOME_UNKNOWN ?',
  ],
  ...[301, 302, 304, 307, 308].map((code) =>
    sameForAll(`${code}`, { kind: 'redirect', status: code }, 'no park REDIRECT !'),
  ),
  sameForAll('303', { kind: 'redirect', status: 303 }, 'unknown park REDIRECT !'),
  ...[400, 405, 406, 413, 415, 422].map((code) => sameForAll(`${code}`, status(code), 'no park VALIDATION')),
  sameForAll('401 with the same token', status(401), 'no later ! token'),
  sameForAll('403', status(403), 'no later FORBIDDEN ≤3 ? token'),
  ...[404, 410].map((code): Row => [
    `${code}`,
    status(code),
    'no later !',
    'no later RUN_NOT_FOUND ≤10min',
    'no later !',
  ]),
  ...[404, 410].map((code): Row => [
    `${code} of one resource`,
    status(code, { namesResource: true }),
    'no later CONFIG ≤10min',
    'no later RUN_NOT_FOUND ≤10min',
    'no later !',
  ]),
  ...[408, 425].map((code): Row => [`${code}`, status(code), 'no now×1 then later', 'no later', 'no later']),
  ['409', status(409), 'no park CONFLICT', 'no park CONFLICT', 'unknown park DUPLICATE_SUSPECTED'],
  ...[412, 428].map((code): Row => [
    `${code}`,
    status(code),
    'no park CONFLICT',
    'no now×1 then park CONFLICT reread',
    'no park VALIDATION',
  ]),
  sameForAll('429', status(429), 'no later ~5s'),
  sameForAll('429 with Retry-After', status(429, { retryAfterMs: 7000 }), 'no later ~7s'),
  sameForAll('503 with Retry-After', status(503, { retryAfterMs: 9000 }), 'no later ~9s'),
  ...mayHeal,
  ...[501, 505].map((code) => sameForAll(`${code}`, status(code), 'no park VALIDATION')),
  ...[402, 418, 451, 507, 599].map((code): Row => [
    `${code}`,
    status(code),
    'unknown park VALIDATION',
    'unknown park VALIDATION',
    'unknown park POST_OUTCOME_UNKNOWN',
  ]),
  sameForAll('a store that failed before sending', { kind: 'before-sending' }, 'no later'),
  sameForAll('a store that refused before sending', { kind: 'before-sending', denied: true }, 'no later !'),
  sameForAll('no token', { kind: 'no-token' }, 'no later ! token'),
  sameForAll('applied but not recorded', { kind: 'unrecorded' }, 'yes applied'),
  sameForAll('no time left', { kind: 'no-time-left' }, 'no later'),
  [
    'the horizon',
    { kind: 'horizon' },
    'no park HORIZON_EXCEEDED',
    'unknown park HORIZON_EXCEEDED',
    'unknown park HORIZON_EXCEEDED',
  ],
  sameForAll('bad input', { kind: 'invalid-input' }, 'no park VALIDATION'),
  sameForAll('a cursor loop', { kind: 'endless-listing', loop: true }, 'no park CURSOR_LOOP'),
  sameForAll('a listing without end', { kind: 'endless-listing', loop: false }, 'no park CONFIG'),
  [
    'nothing known',
    { kind: 'unknown' },
    'unknown now×2 then later ?',
    'unknown later ? doubt',
    'unknown park POST_OUTCOME_UNKNOWN ?',
  ],
];

function cellOf(verdict: Verdict): string {
  const { applied, next, maxNow, afterNow, reason, parkAfter, pauseMs } = verdict;
  const { tries, withinMs } = parkAfter ?? {};
  return [
    applied,
    next === 'now' ? `now×${maxNow} then ${afterNow}` : next,
    reason,
    tries === undefined ? '' : `≤${tries}`,
    withinMs === undefined ? '' : `≤${withinMs / 60_000}min`,
    verdict.closesGate === true ? '!' : '',
    verdict.suspectsOutage === true ? '?' : '',
    pauseMs === undefined ? '' : `~${pauseMs / 1000}s`,
    verdict.afterInDoubt === true ? 'doubt' : '',
    verdict.rereadFirst === true ? 'reread' : '',
    verdict.isAuthRefused === true ? 'token' : '',
  ]
    .filter(Boolean)
    .join(' ');
}

const verbs: readonly OperationVerb[] = ['get', 'patch', 'post'];

const cells = table.flatMap(([name, facts, ...row]) =>
  verbs.map((verb, column) => ({ name, facts, verb, cell: row[column] })),
);

describe('classifyFailure', () => {
  it.each(cells)('says for a $verb that met $name: $cell', ({ verb, facts, cell }) => {
    expect(cellOf(classifyFailure(verb, facts))).toBe(cell);
  });

  it.each([409, 422])('takes a PATCH as applied if the patterns know the text of a %i', (code) => {
    const facts = status(code, { text: '{"message":"Run is ALREADY running"}' });

    expect(classifyFailure('patch', facts, { alreadyInState: ['already running'] }).next).toBe('applied');
    expect(classifyFailure('patch', facts, { alreadyInState: /already \w+/i }).next).toBe('applied');
    expect(classifyFailure('patch', facts, { alreadyInState: ['already stopped', ''] }).next).toBe('park');
    expect(classifyFailure('post', facts, { alreadyInState: ['already running'] }).next).toBe('park');
  });

  it('is not fooled by the memory of a global pattern', () => {
    const alreadyInState = /already/g;
    const facts = status(409, { text: 'already running' });

    const verdicts = [1, 2, 3].map(() => classifyFailure('patch', facts, { alreadyInState }).next);

    expect(verdicts).toEqual(['applied', 'applied', 'applied']);
  });

  it('takes a 409 as applied if it names the dataset', () => {
    const verdict = classifyFailure('post', status(409, { datasetId: 'ds-1' }));

    expect(verdict).toMatchObject({ applied: 'yes', next: 'applied', datasetId: 'ds-1' });
  });

  it('repeats a POST after a status that the vendor vouches for, and after no other; an outage is suspected all the same', () => {
    const options = { postMayRepeatOn: [502] };

    expect(cellOf(classifyFailure('post', status(502), options))).toBe('no later ?');
    expect(classifyFailure('post', status(500), options)).toMatchObject({ applied: 'unknown', next: 'park' });
    expect(classifyFailure('patch', status(502), options)).toMatchObject({ applied: 'unknown', afterInDoubt: true });
  });

  // A 422 that was vouched for came back for a day instead of being parked with its text.
  it.each([400, 401, 403, 404, 409, 422, 429, 501])('has a rule for %i that no vendor can change', (code) => {
    expect(classifyFailure('post', status(code), { postMayRepeatOn: [code] })).toEqual(
      classifyFailure('post', status(code)),
    );
  });

  it('takes facts with missing fields as sent', () => {
    expect(classifyFailure('post', { kind: 'no-answer' }).next).toBe('park');
    expect(classifyFailure('patch', { kind: 'body' }).next).toBe('later');
  });
});

const anyStatus = fc.oneof(fc.integer({ min: 100, max: 599 }), fc.integer(), fc.double());
const anyFacts: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ kind: fc.constant('status'), status: anyStatus, retryAfterMs: fc.option(fc.nat(), { nil: undefined }) }),
  fc.record({ kind: fc.constant('redirect'), status: anyStatus }),
  fc.record({ kind: fc.constantFrom('no-answer'), requestSent: fc.boolean(), certificate: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('body'), reason: fc.constantFrom('truncated', 'not-json', 'not-from-api') }),
  fc.anything(),
  fc.string().map((message) => new Error(message)),
);

describe('classifyFailure, whatever comes', () => {
  it('always gives a verdict that is consistent in itself', () => {
    fc.assert(
      fc.property(fc.constantFrom(...verbs), anyFacts, (verb, failure) => {
        const verdict = classifyFailure(verb, failure);
        expect(['yes', 'no', 'unknown']).toContain(verdict.applied);
        expect(['now', 'later', 'park', 'applied']).toContain(verdict.next);
        expect(verdict.next !== 'park' || typeof verdict.reason === 'string').toBe(true);
        expect(verdict.next !== 'applied' || verdict.applied === 'yes').toBe(true);
        expect(verdict.maxNow > 0).toBe(verdict.next === 'now');
        expect(verdict.maxNow).toBeLessThanOrEqual(2);
      }),
      propertyRuns(10_000),
    );
  });

  it('never repeats a POST that was or may have been applied', () => {
    fc.assert(
      fc.property(anyFacts, (failure) => {
        const verdict = classifyFailure('post', failure);
        expect(verdict.applied === 'no' || ['park', 'applied'].includes(verdict.next)).toBe(true);
      }),
      propertyRuns(10_000),
    );
  });

  it('never makes a POST more repeatable because it was sent', () => {
    const rank = { now: 3, later: 2, park: 1, applied: 0 };
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const [unsent, sent] = [false, true].map((requestSent) =>
          classifyFailure('post', typeof facts === 'object' ? { ...facts, requestSent } : facts),
        );
        expect(rank[sent?.next ?? 'now']).toBeLessThanOrEqual(rank[unsent?.next ?? 'applied']);
      }),
      propertyRuns(10_000),
    );
    fc.assert(
      fc.property(fc.record({ certificate: fc.boolean(), extra: fc.anything() }), (more) => {
        expect(classifyFailure('post', { ...more, kind: 'no-answer', requestSent: true }).next).toBe('park');
      }),
      propertyRuns(),
    );
  });
});
