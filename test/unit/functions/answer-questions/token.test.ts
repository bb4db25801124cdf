import { expect, test } from 'vitest';
import { answerToken, type TokenDeps } from '#functions/answer-questions/token.ts';
import { AppError } from '#shared/errors/app-error.ts';
import { NoTokenError } from '#shared/aws/secret-token.ts';
import { NotSentError } from '#shared/gateway-client/index.ts';
import { tokenAnswer } from '#shared/messages/questions.ts';
import { failing, statusError } from '../../../builders/ports.ts';
import { aResolvedGateway } from '../../../builders/resolved-gateway.ts';
import { campaignId, nightlyOfProject as nightly } from '../update-campaign-runs/harness/update-bench.ts';

const baseUrl = 'https://gateway.example.com';
const gateway = aResolvedGateway({ baseUrl });

/** A worker that keeps what it asks the gateway; each read fails with what the test says. */
function worker(fails: Readonly<Record<string, Error>> = {}, more: Partial<TokenDeps> = {}) {
  const made: string[] = [];
  const fetched: (string | undefined)[] = [];
  const read = (name: string) => {
    made.push(name);
    if (fails[name] !== undefined) throw fails[name];
  };
  const deps: TokenDeps = {
    config: { gateway, runs: { nightly } },
    rateLimiter: { waitMs: () => 0, take: async () => void made.push('slot') },
    remainingMs: () => 30_000,
    async fetchToken(versionId) {
      fetched.push(versionId);
      return { token: 'canary', expiresAt: '2027-01-01T00:00:00Z' };
    },
    trialOf: (token) => ({
      callBudgetMs: 14_000,
      gateway: {
        async *listScannerPackages() {
          read(`packages by ${token}`);
          yield { packages: [], next: undefined, prev: undefined, digest: '' };
        },
        async listEndpoints() {
          read('endpoints');
          return { endpoints: [] };
        },
        async getCampaign(input) {
          read(`campaign ${input.campaignId}`);
          return { campaign: { id: campaignId } };
        },
        async getProject(input) {
          read(`project ${input.project}`);
          return { project: { id: 'p-1' } };
        },
        close: async () => void made.push('closed'),
      },
    }),
    ...more,
  };
  const ask = async (question: object = { ask: 'token' }) => tokenAnswer.parse(await answerToken(question, deps));
  return { ask, made, fetched };
}

test('makes each read of the interface once, in its turn, with the token of the secret, and tells no token', async () => {
  const { ask, made, fetched } = worker();

  const answer = await ask();

  const reads = ['packages by canary', 'endpoints', `campaign ${campaignId}`, 'project chat-app'];
  expect(made).toEqual([...reads.flatMap((read) => ['slot', read]), 'closed']);
  expect(fetched).toEqual([undefined]);
  expect(answer).toEqual({
    baseUrl,
    secret: { kind: 'read', expiresAt: '2027-01-01T00:00:00Z' },
    reads: [
      { read: 'GET /scanner-packages', kind: 'answered' },
      { read: 'GET /endpoints', kind: 'answered' },
      { read: 'GET /campaigns', of: 'chat-bot', setting: 'campaigns.chat-bot.campaignId', kind: 'answered' },
      { read: 'GET /projects', of: 'chat-app', setting: 'campaigns.chat-bot.project', kind: 'answered' },
    ],
  });
});

test.each([
  [new NoTokenError('the secret is empty'), { code: 'NO_TOKEN', why: 'the secret is empty' }],
  [new AppError('no way', { code: 'TOKEN_DENIED', retryable: false }), { code: 'TOKEN_DENIED', why: 'no way' }],
  [Object.assign(new Error('busy'), { name: 'ThrottlingException' }), { code: 'ThrottlingException', why: 'busy' }],
])('makes no call without a token: %s', async (error, said) => {
  const { ask, made } = worker({}, { fetchToken: failing(error) });

  expect(await ask()).toEqual({ baseUrl, secret: { kind: 'unusable', ...said }, reads: [] });
  expect(made).toEqual([]);
});

test('goes on after a permission that is missing, and says what the gateway says of it', async () => {
  const body = { text: '{}', fields: [{ field: '', message: 'needs\n campaigns.read' }] };
  const { ask } = worker({
    [`campaign ${campaignId}`]: statusError(403, { details: body }),
    endpoints: statusError(404, { details: { text: 'gone', fields: [] } }),
  });

  const { reads } = await ask();

  expect(reads.map(({ kind }) => kind)).toEqual(['answered', 'failed', 'failed', 'answered']);
  expect(reads[1]).toMatchObject({ failure: { httpStatus: 404, said: 'gone' } });
  expect(reads[2]).toMatchObject({ failure: { code: 'BAD_STATUS', httpStatus: 403, said: 'needs campaigns.read' } });
});

test.each([
  [
    'no connection',
    new NotSentError('it', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    { code: 'NOT_SENT', causeCode: 'ECONNREFUSED', causeMessage: 'refused' },
  ],
  ['a token that is refused', statusError(401), { httpStatus: 401 }],
])('makes no read more after %s: each would end so, and take as long', async (_what, error, failure) => {
  const { ask, made } = worker({ 'packages by canary': error });

  const { reads } = await ask();

  expect(made).toEqual(['slot', 'packages by canary', 'closed']);
  expect(reads[0]).toMatchObject({ kind: 'failed', failure });
  expect(reads.slice(1).map(({ kind }) => kind)).toEqual(['untried', 'untried', 'untried']);
});

test('says what it cannot read, and what there was no time for', async () => {
  const { campaignId: _, project: __, ...bare } = nightly;
  const nothing = worker({}, { config: { gateway, runs: { nightly: bare } } });
  const late = worker({}, { remainingMs: () => 10_000 });

  expect((await nothing.ask()).reads.slice(2)).toEqual([
    { read: 'GET /campaigns', kind: 'untried', why: 'no campaign of the configuration has a campaignId' },
    { read: 'GET /projects', kind: 'untried', why: 'no campaign of the configuration names its project' },
  ]);
  expect(new Set((await late.ask()).reads.map(({ kind }) => kind))).toEqual(new Set(['untried']));
});
