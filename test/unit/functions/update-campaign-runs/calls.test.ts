/** What a start and a stop cost in requests to AWS: the bench of the stage has the rest (`npm run bench -- --only aws-calls`). */
import { expect, test } from 'vitest';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aStop, atTen, minutes, plannedStopsOf } from './harness/guard-nights.ts';
import { smokeId, aCommand, createUpdateBench, type UpdateBench } from './harness/update-bench.ts';

/** Delivers a command, and counts its requests to the ledger and the bus. */
async function callsOf(bench: UpdateBench, command: CampaignRunCommand) {
  const calls = { reads: 0, writes: 0, events: 0 };
  const before = bench.events.length;
  const ledger: UpdateBench['ledger'] = {
    ...bench.ledger,
    async readMany(pks) {
      calls.reads += 1;
      return bench.ledger.readMany(pks);
    },
    async writeAll(changes) {
      calls.writes += 1;
      return bench.ledger.writeAll(changes);
    },
  };
  await bench.deliver(command, { ledger });
  return { ...calls, events: bench.events.length - before };
}

const four = { reads: 1, writes: 2, events: 1 };

test('a start is one read, two writes and one event', async () => {
  expect(await callsOf(createUpdateBench({ startsPerMonth: 31 }), atTen())).toEqual(four);
});

test('a stop by name, one by uuid and a planned one are the same', async () => {
  for (const kind of ['name', 'uuid', 'planned'] as const) {
    const bench = createUpdateBench();
    await bench.deliver(atTen());
    bench.passMs(minutes(kind === 'planned' ? 31 : 5));
    const [planned = aStop()] = await plannedStopsOf(bench);
    const byId = aCommand({ id: 'by-id', action: 'stop', campaignRunId: smokeId, issuedAt: '2026-11-20T22:05:00Z' });

    expect(await callsOf(bench, { name: aStop(), uuid: byId, planned }[kind])).toEqual(four);
  }
});

test('a start that a guard refuses is one read, one write and one event', async () => {
  const bench = createUpdateBench();
  bench.passMs(minutes(90));

  expect(await callsOf(bench, atTen())).toEqual({ ...four, writes: 1 });
});
