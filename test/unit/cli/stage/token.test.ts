import { expect, test } from 'vitest';
import { command } from '#cli/stage/token.ts';
import { AppError } from '#shared/errors/app-error.ts';
import type { PendingToken, TokenVersions } from '#operator/aws/token-versions.ts';
import type { TokenAnswer, TriedRead } from '#shared/messages/questions.ts';
import { argumentsOf, fakeDeps, type FakeStage, textOf } from '../../operator/fake-deps.ts';

const taken: TokenAnswer = {
  baseUrl: 'https://gateway.example.com',
  secret: { kind: 'read', expiresAt: '2036-11-20T00:00:00Z' },
  reads: [
    { read: 'GET /scanner-packages', kind: 'answered' },
    { read: 'GET /endpoints', kind: 'answered' },
  ],
};

function answered(httpStatus: number, ...others: readonly TriedRead[]): TokenAnswer {
  const failure = { code: 'BAD_STATUS', message: `answered ${httpStatus}`, httpStatus };
  return { ...taken, reads: [{ read: 'GET /scanner-packages', kind: 'failed', failure }, ...others] };
}

/**
 * A stage whose secret is in memory, and whose worker answers about the token what the test says.
 */
function stageWith(
  answer: TokenAnswer | string,
  typed: string,
  pending: Partial<PendingToken> = {},
  versions: Partial<TokenVersions> = {},
) {
  const done: string[] = [];
  const tokenVersions: TokenVersions = {
    async put(secret) {
      done.push(`put ${secret}`);
      return { versionId: 'v2', isFirst: false, ...pending };
    },
    promote: async (versionId) => void done.push(`promote ${versionId}`),
    withdraw: async (versionId) => void done.push(`withdraw ${versionId}`),
    ...versions,
  };
  const payload = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const stage: FakeStage = { tokenVersions, typed, functionAnswer: { payload } };
  const { deps, invoked, told } = fakeDeps(stage);
  return { done, invoked, told, run: async (...words: string[]) => command.run(argumentsOf(command, ...words), deps) };
}

test('set puts the token beside the one in use, has a worker read with that version, then promotes it', async () => {
  const { run, done, invoked } = stageWith(taken, ' canary-1 \n');

  const result = await run('set');

  expect(done).toEqual(['put canary-1', 'promote v2', 'withdraw v2']);
  expect(invoked).toEqual(['{"ask":"token","versionId":"v2"}']);
  expect(result).toMatchObject({ exitCode: 0, data: { isSet: true } });
  expect(textOf(result)).toMatch(/^set: a worker read with it.*\n[\s\S]*revoke the old one/);
  expect(JSON.stringify(result.data) + textOf(result)).not.toContain('canary');
});

test.each([
  ['2027-01-31', '2027-01-31T00:00:00.000Z'],
  ['2027-01-31T12:00:00+01:00', '2027-01-31T11:00:00.000Z'],
])('set --expires %s is kept beside the token', async (expires, expiresAt) => {
  const { run, done } = stageWith(taken, 'canary-1');

  await run('set', '--expires', expires);

  expect(done[0]).toBe(`put ${JSON.stringify({ token: 'canary-1', expiresAt })}`);
});

test.each([
  ['the gateway refuses it', answered(401), /refuses the token \(401\).*the one before stays in use/],
  ['the listing is forbidden', answered(403, { read: 'GET /endpoints', kind: 'answered' }), /lacks a permission/],
  ['the address is that of another server', answered(404), /does not know it \(404\)/],
])('set promotes nothing where %s, and says why with the next step', async (_why, answer, line) => {
  const { run, done } = stageWith(answer, 'canary-1');

  const result = await run('set');

  expect(done).toEqual(['put canary-1', 'withdraw v2']);
  expect(result).toMatchObject({ exitCode: 4, data: { isSet: false } });
  expect(textOf(result)).toMatch(line);
  expect(textOf(result)).toMatch(/\n  [A-Z]/);
});

test('set says of the first token of a secret that it stays there, good or not', async () => {
  const { run } = stageWith(answered(401), 'canary-1', { isFirst: true });

  expect(textOf(await run('set'))).toMatch(/^set, and of no use\n.*it is the first one and stays/);
});

test('set takes back what it put in if no worker can try it', async () => {
  const { run, done } = stageWith('null', 'canary-1');

  await expect(run('set')).rejects.toThrow(/did not answer the question "token"/);
  expect(done).toEqual(['put canary-1', 'withdraw v2']);
});

async function promote() {
  throw new AppError('another person', { code: 'PROMOTED_BY_ANOTHER', retryable: true });
}

test('set tells of a person who put another token in at the same time', async () => {
  const { run, done } = stageWith(taken, 'canary-1', {}, { promote });

  await expect(run('set')).rejects.toThrow('another person');
  expect(done).toEqual(['put canary-1', 'withdraw v2']);
});

async function withdraw() {
  throw new Error('throttled');
}

// A clean-up that failed ended a promotion as an error, and stood in the place of why a token was
// refused.
test.each([
  ['promoted', taken, { exitCode: 0, data: { isSet: true } }, /^set: a worker read with it/],
  ['refused', answered(401), { exitCode: 4, data: { isSet: false } }, /refuses the token \(401\)/],
])('set tells of a token that was %s also if it cannot be tidied up after, in a line', async (_, answer, end, line) => {
  const { run, told } = stageWith(answer, 'canary-1', {}, { withdraw });

  const result = await run('set');

  expect(result).toMatchObject(end);
  expect(textOf(result)).toMatch(line);
  expect(told).toEqual([expect.stringMatching(/^the label AWSPENDING stays on what was put in: throttled\. /)]);
});

test.each([
  ['', /no token was given/],
  [' \n', /no token was given/],
  ['Bearer canary', /begins with the word Bearer/],
  ['canary\ncanary', /holds a line break/],
  ['canary of mine', /holds a space/],
  ['{"token": canary', /what was given looks like JSON and is not/],
  ['{"value":"canary"}', /what was given is JSON without a text field "token"/],
])('set refuses %j by its rule, stores nothing and quotes nothing', async (typed, rule) => {
  const { run, done } = stageWith(taken, typed);

  const error: unknown = await run('set').catch((caught: unknown) => caught);

  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringMatching(rule) });
  expect(String(error)).not.toContain('canary');
  expect(done).toEqual([]);
});

const neverTyped = /never typed on the command line: the history of the shell/;

test.each([
  [['set', 'canary-1'], neverTyped],
  [['canary-1'], neverTyped],
  [['check', 'canary-1'], neverTyped],
  [['check', '--expires', '2027-01-31'], neverTyped],
  [['set', '--expires', 'soon'], /this is not a date/],
  [['set', '--expires', 'canary-1'], /--expires: this is not a date/],
  [['set', '--expires', '2027-02-30'], /this is not a date/],
  [['set', '--expires', '2026-11-20'], /has passed/],
])('%j is refused before anything is asked for, without a word of the token', async (words, sentence) => {
  const { run, done } = stageWith(taken, 'typed');

  const error: unknown = await run(...words).catch((caught: unknown) => caught);

  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringMatching(sentence) });
  expect(String(error)).not.toContain('canary');
  expect(done).toEqual([]);
});

test('check has a worker try the token in use, and changes nothing', async () => {
  const { run, done, invoked } = stageWith(taken, '');

  const result = await run('check');

  expect(result.exitCode).toBe(0);
  expect(textOf(result)).toMatch(/^ok +token +the gateway takes it/);
  expect(result.data).toMatchObject({
    findings: [{ subject: 'token', state: 'ok' }, { subject: 'gateway' }, {}, {}, {}, {}],
  });
  expect([done, invoked]).toEqual([[], ['{"ask":"token"}']]);
});
