import { describe, expect, test } from 'vitest';
import { openGate } from '#functions/_gateway/gate.ts';
import { answerConfigAt, type ConfigAtDeps } from '#functions/answer-questions/stage-questions.ts';
import { answerSupplies } from '#functions/answer-questions/pool-ids.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { GatewayConfig } from '#shared/gateway-client/index.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { type IdRow, type RunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import { countStart, newTargetRow, type TargetRow } from '#shared/ledger/rows/target-row.ts';
import { configAtAnswer } from '#shared/messages/questions.ts';
import { failing, statusError } from '../../../builders/ports.ts';
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
  const refuse = failing(statusError(422, {}, 'GET'));
  const lateSlots = { waitMs: () => 20_000, take: async () => {} };

  const bare = { runs: { nightly: { ...nightly, project: undefined, campaignId: undefined } } };

  test.each<[string, object, string]>([
    ['a run of no such name', { run: { run: 'weekly' } }, 'no run is configured as weekly'],
    ['a campaign without a project', {}, 'the campaign chat-bot names no project'],
    ['a campaign without an id', { of: 'campaign' }, 'the campaign chat-bot has no campaignId'],
  ])('%s', async (_, question, why) => {
    expect(await worker({ config: bare }).ask(question)).toEqual({ kind: 'not-configured', why });
  });

  test.each<[string, Partial<ConfigAtDeps>, string]>([
    ['a closed gate', { gate: { ...openGate, waitMs: async () => 1 } }, 'no worker calls the gateway at the moment'],
    ['too little time', { remainingMs: () => 13_000 }, 'too little time was left to read it'],
    ['a slot that comes too late', { rateLimiter: lateSlots }, 'too little time was left to read it'],
  ])('%s', async (_, deps, why) => {
    expect(await worker(deps).ask()).toEqual({ kind: 'unread', why });
  });

  test('a refusal, with its status, and a project that shows no configuration', async () => {
    const gateway = { getProject: refuse, getCampaign: refuse };
    const why = expect.stringContaining('shows no configuration');

    expect(await worker({ gateway }).ask()).toEqual({ kind: 'unread', why: 'GET was answered 422', httpStatus: 422 });
    expect(await worker({}, null).ask()).toMatchObject({ kind: 'unread', why });
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

  const config = { runs: { nightly: run, monthly: more }, timezone: 'UTC', notify, gateway, blackouts: [] };
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

    const config = { runs: { nightly: run, smoke }, timezone, notify, gateway, blackouts: [] };
    const { budgets } = await answerSupplies({ config, ledger, now: () => now });

    expect(budgets).toEqual([{ campaign: 'chat-bot', month, used, startsPerMonth: 5 }]);
  },
);
