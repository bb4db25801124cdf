/** The watcher and the worker that takes its commands, over one ledger and one gateway. */
import { expect, test } from 'vitest';
import { openGate } from '#functions/_gateway/gate.ts';
import { watchCampaigns } from '#functions/watch-campaigns/watch-campaigns.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import {
  nightlyIds,
  proving,
  smokeId,
  aCommand,
  createUpdateBench,
} from '../update-campaign-runs/harness/update-bench.ts';
import { aResolvedGateway } from '../../../builders/resolved-gateway.ts';

const minute = 60_000;
const hour = 60 * minute;
const [nightlyId] = nightlyIds;

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
        confirmWithin: { nightly: 'PT30M', smoke: 'PT30M' },
        gateway: aResolvedGateway(),
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
    confirmation: (id: string) => bench.ledger.read<ConfirmationRow>(ledgerKeys.confirmation(id)),
  };
}

test('with everything down from 05:55 to 06:30, a stop that was due at 06:00 goes out by the first tick after', async () => {
  const bench = createBench();
  await bench.deliver(aCommand({ run: 'nightly' })); // at ten, for eight hours
  await bench.tickFor(7 * hour + 55 * minute);
  expect(bench.transitions).toEqual(['01:starts']);
  bench.passMs(35 * minute);

  for (const command of await bench.tick()) await bench.deliver(command);

  expect(bench.transitions).toEqual(['01:starts', '01:stops']);
  expect(bench.eventsOf('CampaignRunStopped')).toMatchObject([
    {
      at: '2026-11-21T06:30:00.000Z',
      lateSeconds: 1800,
      askedBecause: expect.stringMatching(/^planned by its start .* for .*, sent 30 minutes late$/),
    },
  ]);
  expect(await bench.tick()).toEqual([]);
});

test('a planned stop that finds its run stopped already asks the gateway nothing', async () => {
  const bench = createBench();
  await bench.deliver(aCommand());
  bench.passMs(30 * minute);
  const [due] = await bench.tick();
  await bench.deliver(aCommand({ id: 'by-hand', action: 'stop', issuedAt: bench.now().toISOString() }));
  const asked = bench.patches.length;

  const result = await bench.deliver(due ?? 'no stop was due');

  expect(result).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
  expect(bench.patches).toHaveLength(asked);
});

test('a planned stop leaves the next run of its name alone', async () => {
  const bench = createBench();
  await bench.deliver(aCommand());
  bench.passMs(30 * minute);
  const [due] = await bench.tick();
  await bench.deliver(aCommand({ id: 'by-hand', action: 'stop', issuedAt: bench.now().toISOString() }));
  bench.passMs(1000);
  await bench.deliver(aCommand({ id: 'again', issuedAt: bench.now().toISOString() }));

  await bench.deliver(due ?? 'no stop was due');

  expect(bench.transitions).toEqual(['aa:starts', 'aa:stops', 'ab:starts']);
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

  await bench.tickFor(3 * hour - minute);
  expect(bench.transitions).toEqual([]);
  await bench.tickFor(20 * minute);

  expect(bench.transitions).toEqual(['aa:starts']);
  expect(bench.eventsOf('CampaignRunStarted')).toMatchObject([{ commandId: command.id }]);
});

test('a start of ours is confirmed by what the gateway shows', async () => {
  const bench = createBench(proving);
  await bench.deliver(aCommand());

  await bench.tickFor(2 * hour);

  expect(await bench.confirmation(smokeId)).toMatchObject({ confirmed: { by: 'lastRun' } });
  expect(bench.events.map(({ type }) => type)).toEqual(['CampaignRunStarted', 'CampaignRunStopped']);
});

test('a start that the gateway accepted and never began is reported, and stopped at its time all the same', async () => {
  const bench = createBench({ ...proving, gateway: acceptingOnly() });
  await bench.deliver(aCommand({ run: 'nightly' }));

  await bench.tickFor(9 * hour);

  expect(bench.eventsOf('CampaignStartUnconfirmed')).toMatchObject([{ campaignRunId: nightlyId }]);
  expect(bench.eventsOf('CampaignRunStopped')).toMatchObject([{ campaignRunId: nightlyId }]);
});

/** A gateway that answers each PATCH with 200, and never begins a run. */
function acceptingOnly(): NonNullable<NonNullable<Parameters<typeof createUpdateBench>[0]>['gateway']> {
  return {
    updateCampaignRun: async () => ({ message: 'ok' }),
    getCampaign: async ({ campaignId }) => ({ campaign: { id: campaignId, lastRunAt: '2026-11-19T22:00:00Z' } }),
    readCampaignRun: async () => Promise.reject(new Error('it was not to be asked')),
  };
}

test('a start without an answer that a freeze refuses is ended, also if the message of its stop is lost', async () => {
  const bench = createBench();
  bench.answerWith('applied-then-lost');
  const command = aCommand();
  await bench.deliver(command);
  const at = bench.now();
  await setSwitch(bench.ledger, stageSwitch, { isOn: true, by: 'ann', reason: 'INC-77', at });
  bench.passMs(minute);
  await bench.deliver(command); // orders its end; what it sent is lost
  expect(bench.sent).toHaveLength(1);

  await bench.tickFor(2 * minute);
  await bench.deliver(command);

  expect(bench.transitions).toEqual(['aa:starts', 'aa:stops']);
  expect(bench.eventsOf('CampaignRunStartSkipped')).toMatchObject([{ commandId: command.id, reason: 'FROZEN' }]);
});

test('a start without an answer whose message is lost is settled after an hour, and begins once', async () => {
  const bench = createBench(proving);
  bench.answerWith('applied-then-lost');
  await bench.deliver(aCommand({ run: 'nightly', validFor: 'PT8H' }));

  await bench.tickFor(2 * hour);

  expect(bench.begun()).toEqual([nightlyId]);
  expect(bench.eventsOf('CampaignRunStarted')).toHaveLength(1);
});

test('a run without a planned stop is counted out at its end, and the next start goes out', async () => {
  const nightly = {
    name: 'nightly',
    campaign: 'chat-bot',
    campaignRunIds: nightlyIds,
    guards: { target: 'chat-bot', overlap: 'skip', longestRun: 'PT2H' },
  } as const;
  const bench = createBench({ runs: { nightly } });
  await bench.deliver(aCommand({ run: 'nightly' }));
  bench.passMs(hour);
  await bench.deliver(aCommand({ id: 'too-early', run: 'nightly', issuedAt: bench.now().toISOString() }));
  await bench.tickFor(hour + minute);

  await bench.deliver(aCommand({ id: 'next', run: 'nightly', issuedAt: bench.now().toISOString() }));

  expect(bench.transitions).toEqual(['01:starts', '02:starts']);
  expect(bench.eventsOf('CampaignRunStartSkipped')).toMatchObject([{ commandId: 'too-early', reason: 'OVERLAP' }]);
});

test('a stage that observes confirms nothing and sends nothing to the gateway', async () => {
  const bench = createBench({ ...proving, mode: 'observe' });
  await bench.deliver(aCommand({ run: 'nightly' }));

  await bench.tickFor(hour);

  expect(bench.patches).toEqual([]);
  expect(bench.events).toEqual([]);
});
