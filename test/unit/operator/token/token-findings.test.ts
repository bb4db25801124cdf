import { expect, test } from 'vitest';
import { everyFinding, tokenFindings } from '#operator/token/token-findings.ts';
import type { TokenAnswer, TriedRead } from '#shared/messages/questions.ts';

const now = new Date('2026-11-20T20:00:00.000Z');
const baseUrl = 'https://gateway.example.com';
const allowed: readonly TriedRead[] = [
  { read: 'GET /scanner-packages', kind: 'answered' },
  { read: 'GET /endpoints', kind: 'answered' },
  { read: 'GET /campaigns', of: 'chat-bot', kind: 'answered' },
  { read: 'GET /projects', kind: 'untried', why: 'none is named' },
];

function failed(read: TriedRead['read'], httpStatus: number | undefined, of?: string): TriedRead {
  const code = httpStatus === undefined ? 'NOT_SENT' : 'BAD_STATUS';
  const failure = { code, message: `answered ${httpStatus}`, ...(httpStatus === undefined ? {} : { httpStatus }) };
  return { read, kind: 'failed', failure, ...(of === undefined ? {} : { of }) };
}

function answer(fields: Partial<TokenAnswer> & { readonly expiresAt?: string } = {}): TokenAnswer {
  const { expiresAt, ...rest } = fields;
  const secret = { kind: 'read', ...(expiresAt === undefined ? {} : { expiresAt }) } as const;
  return { baseUrl, secret, reads: [...allowed], ...rest };
}

const refused = { reads: [failed('GET /scanner-packages', 401)] };
const down = { reads: [failed('GET /scanner-packages', undefined)] };

const deleted: TokenAnswer['secret'] = {
  kind: 'unusable',
  code: 'TOKEN_DELETED',
  why: 'no',
  restoring: ['aws', 'restore'],
};

test.each<[string, TokenAnswer, string, RegExp]>([
  ['has no date at a real gateway', answer(), 'warning', /takes it; no expiry date set, so nothing can warn/],
  ['has no date on this machine', answer({ baseUrl: 'http://127.0.0.1:4010' }), 'ok', /it has no expiry date set/],
  ['expires in a year', answer({ expiresAt: '2027-11-20T20:00:00Z' }), 'ok', /expires in 365 days/],
  ['expires soon', answer({ expiresAt: '2026-11-22T19:00:00Z' }), 'warning', /expires in 1 day$/],
  ['is over and taken', answer({ expiresAt: '2026-11-20T19:00:00Z' }), 'warning', /has expired, .* still takes it/],
  ['has a date that is none', answer({ expiresAt: 'soon' }), 'warning', /is not a time/],
  ['is refused', answer(refused), 'problem', /refuses the token \(401\)/],
  [
    'is over',
    answer({ ...refused, expiresAt: '2026-11-20T19:00:00Z' }),
    'problem',
    /has expired, .* refuses it \(401\)/,
  ],
  ['is there, the gateway is not', answer(down), 'unknown', /takes it is not known/],
  [
    'is over, the gateway is not there',
    answer({ ...down, expiresAt: '2026-11-20T19:00Z' }),
    'problem',
    /it has expired/,
  ],
  ['is absent', answer({ secret: { kind: 'unusable', code: 'NO_TOKEN', why: 'is empty' } }), 'problem', /^is empty$/],
  ['is forbidden', answer({ secret: { kind: 'unusable', code: 'TOKEN_DENIED', why: 'no' } }), 'problem', /^no$/],
  ['is to be deleted', answer({ secret: deleted }), 'problem', /^its secret is marked for deletion$/],
  ['cannot be read now', answer({ secret: { kind: 'unusable', code: 'X', why: 'busy' } }), 'problem', /read: busy/],
])('a token that %s', (_what, told, state, says) => {
  const { token } = tokenFindings(told, now);

  expect(token).toMatchObject({ subject: 'token', state, says: expect.stringMatching(says) });
  expect(token.next !== undefined).toBe(state === 'problem' || state === 'warning');
});

test.each<[string, readonly TriedRead[], string]>([
  ['answers one read', [failed('GET /scanner-packages', 404), { read: 'GET /endpoints', kind: 'answered' }], 'ok'],
  ['refuses the token', [failed('GET /scanner-packages', 401)], 'ok'],
  ['asks for a pause', [failed('GET /scanner-packages', 429)], 'ok'],
  ['knows no path', [failed('GET /scanner-packages', 404), failed('GET /endpoints', 404)], 'problem'],
  ['is in trouble', [failed('GET /scanner-packages', 503), failed('GET /endpoints', 502)], 'problem'],
  ['was not asked', [{ read: 'GET /scanner-packages', kind: 'untried', why: 'no time' }], 'unknown'],
])('a gateway that %s', (_what, reads, state) => {
  expect(tokenFindings(answer({ reads: [...reads] }), now).gateway).toMatchObject({ subject: 'gateway', state });
});

test('tells each operation: allowed, refused, not tried; and why a write is not tried', () => {
  const reads: TriedRead[] = [
    { read: 'GET /scanner-packages', kind: 'answered' },
    failed('GET /endpoints', 410),
    failed('GET /campaigns', 403, 'chat-bot'),
    failed('GET /projects', 404, 'chat-app'),
  ];

  const { operations } = tokenFindings(answer({ reads }), now);

  expect(operations.map(({ subject, state }) => [subject, state])).toEqual([
    ['GET /scanner-packages', 'ok'],
    ['GET /endpoints', 'unknown'],
    ['GET /campaigns', 'problem'],
    ['GET /projects', 'problem'],
    ['PATCH /campaign-runs', 'unknown'],
    ['POST /datasets', 'unknown'],
  ]);
  expect(operations[2]?.says).toMatch(/lacks a permission \(403\)/);
  expect(operations[3]).toMatchObject({
    says: expect.stringMatching(/none .* \(chat-app\)/),
    next: { says: expect.any(String) },
  });
});

test.each([404, 422])('a read by id that ends with %i means the id, and names its setting', (status) => {
  const setting = 'campaigns.chat-bot.campaignId';
  const read: TriedRead = { ...failed('GET /campaigns', status, 'chat-bot'), setting };
  const reads: TriedRead[] = [{ read: 'GET /scanner-packages', kind: 'answered' }, read];

  expect(tokenFindings(answer({ reads }), now).operations[1]).toMatchObject({
    state: 'problem',
    says: `the gateway has none with the configured id (chat-bot) (${status})`,
    next: { says: `Correct ${setting} in automation.config.ts and deploy.` },
  });
});

test('tells nothing of operations if the token or the gateway is the problem: they would all say the same', () => {
  expect(everyFinding(tokenFindings(answer(refused), now))).toHaveLength(2);
  expect(everyFinding(tokenFindings(answer(down), now))).toHaveLength(2);
});
