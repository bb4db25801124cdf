/** The watcher and the worker that takes its commands, over one ledger and one gateway. */
import { expect, test } from 'vitest';
import { watchCampaigns } from '#functions/watch-campaigns/watch-campaigns.ts';
import { openGate } from '#functions/_gateway/gate.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aCommand, campaignId, createUpdateBench, smokeId } from '../update-campaign-runs/harness/update-bench.ts';

const minute = 60_000;
const hour = 60 * minute;

function createBench(options: Parameters<typeof createUpdateBench>[0] = {}) {
  const bench = createUpdateBench(options);

  /** One tick; what it sent is left in its queue. */
  async function tick(): Promise<readonly CampaignRunCommand[]> {
    const sent: CampaignRunCommand[] = [];
    await watchCampaigns({
      ledger: bench.ledger,
      commands: { send: async (body) => void sent.push(JSON.parse(body)) },
      bus: { publish: async (type, detail) => void bench.events.push({ type, detail }) },
      gateway: bench.gateway,
      gate: openGate,
      rateLimiter: { waitMs: () => 0, take: () => undefined },
      callBudgetMs: 17_000,
      remainingMs: () => 60_000,
      config: {
        mode: options.mode ?? 'act',
        campaigns: [{ campaignId, names: ['chat-bot'], runs: ['nightly', 'smoke'], target: 'chat-bot' }],
      },
      reports: { log: { debug() {}, info() {}, warn() {}, error() {} }, count() {} },
      now: bench.now,
    });
    return sent;
  }

  return {
    ...bench,
    tick,
    /** A tick each minute, what it sends delivered at once. */
    async tickFor(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += minute) {
        bench.passMs(minute);
        for (const command of await tick()) await bench.deliver(command);
      }
    },
    eventsOf: (type: string) => bench.events.filter((event) => event.type === type).map(({ detail }) => detail),
  };
}

test('with everything down from 05:55 to 06:30, a stop that was due at 06:00 goes out by the first tick after, and its event says how late', async () => {
  const bench = createBench();
  await bench.deliver(aCommand({ run: 'nightly' })); // at ten, for eight hours
  await bench.tickFor(7 * hour + 55 * minute);
  expect(bench.transitions).toEqual(['01:running']);
  bench.passMs(35 * minute);

  for (const command of await bench.tick()) await bench.deliver(command);

  expect(bench.transitions).toEqual(['01:running', '01:stopped']);
  expect(bench.eventsOf('CampaignRunStopped')).toMatchObject([
    {
      at: '2026-11-21T06:30:00.000Z',
      lateSeconds: 1800,
      askedBecause: expect.stringMatching(
        /^planned by its start .* for 2026-11-21T06:00:00\.000Z, sent 30 minutes late$/,
      ),
    },
  ]);
});

test('a stop that was sent in time and found no worker until 06:30 is as late', async () => {
  const bench = createBench();
  await bench.deliver(aCommand({ run: 'nightly' }));
  bench.passMs(8 * hour);
  const [stop] = await bench.tick();
  bench.passMs(30 * minute);

  await bench.deliver(stop ?? 'no stop was due');

  expect(bench.eventsOf('CampaignRunStopped')).toMatchObject([{ lateSeconds: 1800 }]);
});

test('a start inside a blackout that defers is made at its end, hours after it was valid, and once', async () => {
  const blackout = {
    name: 'release night',
    starts: 'defer' as const,
    window: { kind: 'once' as const, from: '2026-11-20T20:00:00.000Z', to: '2026-11-21T01:00:00.000Z' },
  };
  const bench = createBench({ blackouts: [blackout] });
  const command = aCommand({ validFor: 'PT30M' });
  await bench.deliver(command);
  expect(bench.transitions).toEqual([]);

  await bench.tickFor(3 * hour - minute);
  expect(bench.transitions).toEqual([]);
  await bench.tickFor(20 * minute);

  expect(bench.transitions).toEqual(['aa:running']);
  expect(bench.eventsOf('CampaignRunStarted')).toMatchObject([
    { commandId: command.id, at: '2026-11-21T01:00:00.000Z' },
  ]);
});

test('a start of ours is confirmed by what the gateway shows, and taken for ours alone', async () => {
  const bench = createBench({ campaignId, confirm: { by: 'runCount', within: 'PT30M' } });
  await bench.tickFor(minute); // the baseline
  const command = aCommand({ issuedAt: bench.now().toISOString() });
  await bench.deliver(command);

  await bench.tickFor(4 * hour);

  expect(
    await bench.ledger.read(ledgerKeys.confirmation({ campaignRunId: smokeId, commandId: command.id })),
  ).toMatchObject({
    confirmed: { reads: 8, at: '2026-11-20T22:02:00.000Z' },
  });
  expect(bench.events.map(({ type }) => type)).toEqual(['CampaignRunStarted', 'CampaignRunStopped']);
});

test('a start that the gateway accepted and never made is not confirmed', async () => {
  const bench = createBench({ campaignId, confirm: { by: 'runCount', within: 'PT20M' } });
  bench.changeByHand(smokeId, 'running'); // it runs already: told to start, the gateway says yes and does nothing
  const command = aCommand();
  await bench.deliver(command);

  await bench.tickFor(hour);

  expect(bench.eventsOf('CampaignStartUnconfirmed')).toMatchObject([{ commandId: command.id, before: 7, reads: 7 }]);
});

test('a start by hand is noticed, and the next schedule keeps its distance from it', async () => {
  const bench = createBench({ campaignId, minimumGap: 'PT12H' });
  await bench.tickFor(minute);
  bench.startByHand();

  await bench.tickFor(10 * minute);
  await bench.deliver(aCommand({ id: 'weeknights@later', issuedAt: bench.now().toISOString() }));

  expect(bench.eventsOf('CampaignStartedElsewhere')).toMatchObject([
    { campaigns: ['chat-bot'], starts: 1, before: { runCount: 7 }, after: { runCount: 8 } },
  ]);
  expect(bench.eventsOf('CampaignRunStartSkipped')).toMatchObject([{ reason: 'MINIMUM_GAP' }]);
  expect(bench.transitions).toEqual([]);
});

test('a start in doubt that did land raises no alarm, before it is settled and after', async () => {
  const bench = createBench({ campaignId });
  await bench.tickFor(minute);
  bench.answerWith('applied-then-lost');
  const command = aCommand({ issuedAt: bench.now().toISOString() });
  await bench.deliver(command);

  await bench.tickFor(20 * minute);
  await bench.deliver(command);
  await bench.tickFor(2 * hour);

  expect(bench.eventsOf('CampaignStartedElsewhere')).toEqual([]);
  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
});

test('a stage that observes reports what others start, and confirms nothing', async () => {
  const bench = createBench({ mode: 'observe', campaignId, confirm: { by: 'runCount', within: 'PT20M' } });
  await bench.tickFor(minute);
  await bench.deliver(aCommand());
  bench.startByHand();

  await bench.tickFor(hour);

  expect(bench.events.map(({ type }) => type)).toEqual(['CampaignStartedElsewhere']);
  expect(bench.patches).toEqual([]);
});
