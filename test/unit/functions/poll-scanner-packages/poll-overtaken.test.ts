import { expect, test } from 'vitest';
import type { ScannerPackage } from '#shared/gateway-client/index.ts';
import { aPackage, baselined, knownIn, packages } from './poll-bench.ts';

type Bench = Awaited<ReturnType<typeof baselined>>;

/** Polls, and while it is at its second page another poll of the watch does its work. */
function pollOvertaken(bench: Bench, listed: readonly ScannerPackage[], other: () => Promise<unknown>) {
  async function* slowly() {
    yield listed;
    await other();
  }
  return bench.poll(slowly());
}

test('of two polls of a watch at once the one that ends first counts, the other one changes nothing', async () => {
  const bench = await baselined();
  const four = [...packages(3), aPackage('p4')];

  const answer = await pollOvertaken(bench, [aPackage('p1'), aPackage('p2')], () => bench.poll(four));

  expect(answer).toMatchObject({ summary: 'another look of vendor was under way; this one does not count' });
  expect(bench.logged.at(-1)).toMatchObject({ event: 'look_overtaken' });
  expect([...(await knownIn(bench.ledger)).keys()].toSorted()).toEqual(['p1', 'p2', 'p3', 'p4']);
  expect(bench.events).toMatchObject([{ count: 1, changes: [{ kind: 'added', packageId: 'p4' }] }]);
});

test('two polls that send one change set send one command, and one event by its id', async () => {
  const bench = await baselined();
  const updated = [aPackage('p1', { availableUpdate: '2026-02' }), aPackage('p2'), aPackage('p3')];
  let other: Promise<unknown> | undefined;
  const commands = {
    send: async (body: string) => {
      bench.commands.push(JSON.parse(body));
      // Between the transaction and the end of its sends.
      other ??= bench.poll(updated);
      await other;
    },
  };

  await bench.poll(updated, { deps: { commands } });

  expect(bench.commands).toHaveLength(2);
  expect([bench.startIds(), bench.eventIds()]).toMatchObject([{ length: 1 }, { length: 1 }]);
  expect(await bench.head()).not.toHaveProperty('changeSet');
});
