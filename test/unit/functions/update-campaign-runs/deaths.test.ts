/** I1, I2, I3, I4, I8: workers that die after each of their effects, and copies of a message at the same moment. */
import { describe, expect, test } from 'vitest';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aStop, atTen, hours, minutes, running } from './harness/guard-nights.ts';
import { mortalWorker } from './harness/mortal-worker.ts';
import { campaignId, smokeId, smokeIds, createUpdateBench, type UpdateBench } from './harness/update-bench.ts';

/** An attempt makes no more effects than these. */
const points = [0, 1, 2, 3, 4];

const worlds = [
  ['startAt', {}],
  ['startAt, readable', { campaignId }],
  ['a word, readable', { campaignId, kind: { starts: 'word, again' } as const }],
] as const;

/** Delivers until there is an outcome, with what the worker sends to itself. */
async function bringToAnEnd(bench: UpdateBench, command: CampaignRunCommand): Promise<void> {
  for (let receiveCount = 2; receiveCount < 60; receiveCount += 1) {
    bench.passMs(minutes(3));
    await bench.deliverSent();
    await bench.deliverDueStops();
    await bench.deliver(command, { receiveCount });
    if ((await bench.outcomeOf(command.id)) !== undefined) return;
  }
}

/** What becomes of the first request of the command. */
const answers = ['ok', 'lost', 'applied-then-lost', { status: 429, text: 'busy' }] as const;
const deaths = points.flatMap((killAfter) => answers.map((answer) => ({ killAfter, answer })));

describe.each(worlds)('[C5 C11 F10] at a gateway of %s', (_name, world) => {
  test.each(deaths)(
    'a start whose worker dies after effect $killAfter begins one run at most, and has a true outcome: $answer',
    async ({ killAfter, answer }) => {
      const bench = createUpdateBench(world);
      bench.answerWith(answer);
      await bench.deliver(atTen(), mortalWorker(bench, { killAfter })).catch(() => {});
      await bringToAnEnd(bench, atTen());
      bench.passMs(hours(2));

      const outcome = await bench.outcomeOf('at-ten');
      expect(new Set(bench.begun()).size).toBe(bench.begun().length);
      expect(bench.begun().length).toBeLessThanOrEqual(1);
      expect(outcome?.kind).not.toBe('parked');
      // It began, or its outcome says that it may have.
      const { mayHaveRun } = (await bench.commandOf('at-ten')) ?? {};
      expect(outcome?.kind === 'applied' ? bench.begun() : [mayHaveRun?.from]).toEqual([
        outcome?.kind === 'applied' ? smokeId : '2026-11-20T22:00:00.000Z',
      ]);
    },
  );
});

test.each(deaths)(
  '[C5 F10] a stop whose worker dies after effect $killAfter has ended its run all the same: $answer',
  async ({ killAfter, answer }) => {
    const bench = await running();
    bench.answerWith(answer);
    await bench.deliver(aStop(), mortalWorker(bench, { killAfter })).catch(() => {});
    await bringToAnEnd(bench, aStop());

    expect((await bench.outcomeOf('stop'))?.kind).toMatch(/^(?:applied|skipped)$/);
    expect(bench.begun()).toEqual([smokeId]);
    expect(bench.model.running()).toEqual([]);
  },
);

test('[C11] an event that a death kept back is published by the next delivery', async () => {
  const bench = createUpdateBench();
  await bench.deliver(atTen(), mortalWorker(bench, { killAfter: 3 })).catch(() => {});
  expect(bench.events).toEqual([]);
  await bench.deliver(atTen(), { receiveCount: 2 });

  expect(bench.events).toMatchObject([{ type: 'CampaignRunStarted' }]);
});

test('copies of one start at the same moment begin one run', async () => {
  const bench = createUpdateBench();
  await Promise.all([bench.deliver(atTen()), bench.deliver(atTen()), bench.deliver(atTen())]);
  bench.passMs(minutes(2));

  expect(bench.begun()).toEqual([smokeId]);
  expect(await bench.inFlight()).toMatchObject([{ state: 'running' }]);
});

test('a copy whose rows are read while the first one writes them says nothing untrue', async () => {
  const bench = createUpdateBench();
  const dies = { ...bench.gateway, updateCampaignRun: async () => Promise.reject(new Error('killed')) };
  let reads = 0;
  const ledger: UpdateBench['ledger'] = {
    ...bench.ledger,
    // Its own row is as the first one wrote it, that of the target as it was before.
    async readMany(pks) {
      reads += 1;
      const rows = await bench.ledger.readMany(pks);
      return reads === 2 ? new Map([...rows].filter(([pk]) => !pk.startsWith('target#'))) : rows;
    },
    async writeAll(changes) {
      if (bench.patches.length === 0 && reads === 1) await bench.deliver(atTen(), { gateway: dies });
      return bench.ledger.writeAll(changes);
    },
  };
  await bench.deliver(atTen(), { ledger });

  expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
});

test('starts at the same moment that may overlap use an id each', async () => {
  const bench = createUpdateBench({ overlap: 'allow' });
  await Promise.all(['a', 'b', 'c'].map((id) => bench.deliver(atTen({ id }))));
  bench.passMs(minutes(2));

  expect(bench.begun().toSorted()).toEqual(smokeIds);
});

test('two starts at the same moment do not use the last place of a budget twice', async () => {
  const bench = createUpdateBench({ overlap: 'allow', startsPerMonth: 1 });
  await Promise.all(['a', 'b'].map((id) => bench.deliver(atTen({ id }))));

  expect(bench.patches).toHaveLength(1);
});

test('a start and its stop at the same moment leave no run behind', async () => {
  const bench = createUpdateBench();
  bench.passMs(minutes(5));
  await Promise.all([bench.deliver(atTen()), bench.deliver(aStop())]);
  await bringToAnEnd(bench, aStop());
  await bringToAnEnd(bench, atTen());

  expect(bench.model.running()).toEqual([]);
});
