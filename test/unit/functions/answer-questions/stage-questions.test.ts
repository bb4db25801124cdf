import { describe, expect, test } from 'vitest';
import { openGate } from '#functions/_gateway/gate.ts';
import { answerConfigAt, type ConfigAtDeps } from '#functions/answer-questions/stage-questions.ts';
import { answerSupplies } from '#functions/answer-questions/supplies.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { BadStatusError, type GatewayConfig } from '#shared/gateway-client/index.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { type IdRow, type RunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import { countStart, newTargetRow, type TargetRow } from '#shared/ledger/rows/target-row.ts';
import { configAtAnswer } from '#shared/messages/questions.ts';
import { aResolvedGateway } from '../../../builders/resolved-gateway.ts';
import { idRow, runRow } from '../../../builders/run-rows.ts';
import { campaignId, nightlyIds, nightlyOfProject as nightly } from '../update-campaign-runs/harness/update-bench.ts';

const at = '2026-11-20T22:00:00Z';

function worker(
  more: Partial<ConfigAtDeps> = {},
  config: GatewayConfig | null = { scanners: [{ id: 's1', version: 3 }] },
) {
  const asked: unknown[] = [];
  let slots = 0;
  const deps: ConfigAtDeps = {
    ledger: createMemoryLedger(),
    gateway: {
      async getProject(input) {
        asked.push(input);
        return { project: { id: 'p-1', name: 'chat-app', config } };
      },
      async getCampaign(input) {
        asked.push(input);
        return { campaign: { id: campaignId, name: 'Nightly', runCount: 4, attacks: ['Role play'] } };
      },
    },
    gate: openGate,
    rateLimiter: { waitMs: () => 0, take: async () => void (slots += 1) },
    callBudgetMs: 14_000,
    config: { runs: { nightly } },
    remainingMs: () => 30_000,
    ...more,
  };
  const ask = async (fields: object = {}) =>
    configAtAnswer.parse(
      await answerConfigAt({ ask: 'config-at', of: 'project', run: { run: 'nightly' }, at, ...fields }, deps),
    );
  return { ask, asked, deps, slots: () => slots };
}

test('answers the project of the run as the gateway tells it for that instant, in its turn', async () => {
  const { ask, asked, slots } = worker();

  const answer = await ask();

  expect(answer).toMatchObject({ kind: 'read', id: 'p-1', name: 'chat-app', words: { 'scanners.s1.version': '3' } });
  expect(asked).toEqual([{ project: 'chat-app', configAt: at }]);
  expect(slots()).toBe(1);
});

test('answers the campaign by what defines it, and leaves out what its runs do to it', async () => {
  const { ask, asked } = worker();

  const answer = await ask({ of: 'campaign' });

  expect(answer).toMatchObject({
    kind: 'read',
    id: campaignId,
    fingerprints: { lists: { attacks: { 'Role play': {} } }, fields: { name: expect.any(String) } },
    words: { name: 'Nightly' },
  });
  expect(JSON.stringify(answer)).not.toContain('runCount');
  expect(asked).toEqual([{ campaignId, configAt: at }]);
});

test.each([
  ['the configuration lists it', nightlyIds[1], undefined],
  ['one of its starts used it', '018f0000-0000-7000-8000-0000000000ff', 'nightly'],
])('finds the run of a uuid where %s', async (_, campaignRunId, run) => {
  const { ask, deps } = worker();
  const ledger = deps.ledger as ReturnType<typeof createMemoryLedger>;
  if (run !== undefined) await ledger.write<IdRow>(undefined, idRow({ campaignRunId, run }));

  expect(await ask({ run: { campaignRunId } })).toMatchObject({ kind: 'read' });
});

describe('what is not known is said', () => {
  const refused = new BadStatusError('GET', { status: 422, details: { text: '', fields: [] } });
  const refuse = async () => Promise.reject(refused);

  test.each<[string, Partial<ConfigAtDeps>, object, object]>([
    [
      'a run of no such name',
      {},
      { run: { run: 'weekly' } },
      { kind: 'not-configured', why: 'no run is configured as weekly' },
    ],
    [
      'a campaign without a project',
      { config: { runs: { nightly: { ...nightly, project: undefined } } } },
      {},
      { kind: 'not-configured', why: 'the campaign chat-bot names no project' },
    ],
    [
      'a campaign without an id',
      { config: { runs: { nightly: { ...nightly, campaignId: undefined } } } },
      { of: 'campaign' },
      { kind: 'not-configured', why: 'the campaign chat-bot has no campaignId' },
    ],
    [
      'a closed gate',
      { gate: { ...openGate, waitMs: async () => 1 } },
      {},
      { kind: 'unread', why: 'no worker calls the gateway at the moment' },
    ],
    [
      'too little time',
      { remainingMs: () => 13_000 },
      {},
      { kind: 'unread', why: 'too little time was left to read it' },
    ],
    [
      'a slot that comes too late',
      { rateLimiter: { waitMs: () => 20_000, take: async () => {} } },
      {},
      { kind: 'unread', why: 'too little time was left to read it' },
    ],
    [
      'a refusal, with its status',
      { gateway: { getProject: refuse, getCampaign: refuse } },
      {},
      { kind: 'unread', why: 'GET was answered 422', httpStatus: 422 },
    ],
  ])('%s', async (_, deps, question, answer) => {
    expect(await worker(deps).ask(question)).toEqual(answer);
  });

  test('a project that shows no configuration', async () => {
    expect(await worker({}, null).ask()).toMatchObject({
      kind: 'unread',
      why: expect.stringContaining('shows no configuration'),
    });
  });
});

test.each([{ of: 'endpoints' }, { at: 'yesterday' }, { run: {} }, { run: { run: 'nightly' }, more: 1 }])(
  '%j is no such question',
  async (fields) => {
    await expect(worker().ask(fields)).rejects.toThrow(/Invalid|Unrecognized/);
  },
);

const now = new Date('2026-11-30T23:30:00.000Z');
const run: ResolvedRun = {
  name: 'nightly',
  campaign: 'chat-bot',
  campaignRunIds: ['r-1', 'r-2', 'r-3'],
  guards: { target: 'shared-target', overlap: 'skip', longestRun: 'PT8H', startsPerMonth: 5 },
};
const smoke: ResolvedRun = { ...run, name: 'smoke', campaignRunIds: ['r-9'] };
const gateway = aResolvedGateway();
const notify = { emails: [], webhooks: [], silentAfter: 2, silentAlso: [], runIdsLow: 3, also: [] } as const;

test('counts the ids that no start has used, those that people added too, each once, and says when they are few', async () => {
  const ledger = createMemoryLedger();
  const used = withUsed(runRow({ bound: ['r-4', 'r-2', 'r-4'] }), 'r-1');
  await ledger.write<RunRow>(undefined, used);
  const more: ResolvedRun = { ...run, name: 'monthly', campaignRunIds: ['m-1', 'm-2'] };

  const config = { runs: { nightly: run, monthly: more }, timezone: 'UTC', notify, gateway };
  const { bindings } = await answerSupplies({ config, ledger, now: () => now });

  expect(bindings).toEqual([
    { run: 'nightly', left: 3, isLow: false },
    { run: 'monthly', left: 2, isLow: true },
  ]);
});

test.each([
  ['UTC', '2026-11', 2],
  ['Europe/Berlin', '2026-12', 0],
])(
  'counts the starts of the month that it is in %s, once for a campaign of several runs',
  async (timezone, month, used) => {
    const ledger = createMemoryLedger();
    const target = newTargetRow('shared-target');
    const where = { month: '2026-11', campaign: 'chat-bot' };
    const counted = countStart(countStart(target, where, 'a', now), where, 'b', now);
    await ledger.write<TargetRow>(undefined, countStart(counted, { ...where, campaign: 'other' }, 'c', now));

    const config = { runs: { nightly: run, smoke }, timezone, notify, gateway };
    const { budgets } = await answerSupplies({ config, ledger, now: () => now });

    expect(budgets).toEqual([{ campaign: 'chat-bot', month, used, startsPerMonth: 5 }]);
  },
);
