/** The watcher and the worker that takes its commands, over one ledger. */
import { expect, test } from 'vitest';
import { sendDueStops } from '#functions/watch-campaigns/due-stops.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aCommand, createUpdateBench } from '../update-campaign-runs/harness/update-bench.ts';

const halfAnHour = 30 * 60_000;

async function tick(bench: ReturnType<typeof createUpdateBench>): Promise<CampaignRunCommand[]> {
  const sent: CampaignRunCommand[] = [];
  await sendDueStops({
    ledger: bench.ledger,
    commands: { send: async (body) => void sent.push(JSON.parse(body)) },
    reports: { log: { debug() {}, info() {}, warn() {}, error() {} }, count() {} },
    now: bench.now,
  });
  return sent;
}

async function tickAndDeliver(bench: ReturnType<typeof createUpdateBench>) {
  const [stop] = await tick(bench);
  if (stop === undefined) throw new Error('no stop was due');
  return bench.deliver(stop);
}

test('stops a run when its time has come, once', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.passMs(halfAnHour);

  const result = await tickAndDeliver(bench);

  expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'applied' }] });
  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
  expect(await tick(bench)).toEqual([]);
});

test('asks the gateway nothing if another stop was first', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.passMs(halfAnHour);
  const [due] = await tick(bench);
  await bench.deliver(aCommand({ id: 'by-morning', action: 'stop', issuedAt: bench.now().toISOString() }));
  const asked = bench.patches.length;

  const result = await bench.deliver(due ?? aCommand());

  expect(result).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
  expect(bench.patches).toHaveLength(asked);
});

test('stops a run whose start was sent and never answered', async () => {
  const bench = createUpdateBench();
  bench.answerWith('applied-then-lost');
  await bench.deliver(aCommand({ validFor: 'PT1M' }));
  bench.passMs(halfAnHour);

  await tickAndDeliver(bench);

  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
});

test('leaves the next start of the same run running', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.passMs(halfAnHour);
  const [due] = await tick(bench);
  await bench.deliver(aCommand({ id: 'by-hand', action: 'stop', issuedAt: bench.now().toISOString() }));
  bench.passMs(1000);
  await bench.deliver(aCommand({ id: 'again', issuedAt: bench.now().toISOString() }));

  await bench.deliver(due ?? aCommand());

  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped', 'aa:running']);
});
