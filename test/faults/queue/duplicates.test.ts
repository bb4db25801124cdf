import { expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { aCommand, createUpdateBench } from '../../unit/functions/update-campaign-runs/harness/update-bench.ts';

const dayMs = 24 * 3_600_000;

test('[C2 E1] a command that comes again after 13 days is not sent again, and its row outlives every queue', async () => {
  const bench = createUpdateBench();
  const endedAtMs = bench.now().getTime();
  await bench.deliver(aCommand());

  bench.passMs(13 * dayMs);
  const again = await bench.deliver(aCommand());

  expect(again).toEqual({ kind: 'done', outcomes: [] });
  expect(bench.patches).toHaveLength(1);
  const { expiresAt = 0 } = (await bench.ledger.read<CommandRow>(ledgerKeys.command(aCommand().id))) ?? {};
  expect(expiresAt * 1000 - endedAtMs).toBeGreaterThanOrEqual(90 * dayMs);
});

/** Delivers something else at the moment at which the row of a command says that its request goes out. */
function whileSending(ledger: Ledger, deliver: () => Promise<unknown>): Ledger {
  let isFirst = true;
  return {
    ...ledger,
    async writeAll(changes) {
      const written = await ledger.writeAll(changes);
      const row = changes.map(({ after }) => after).find(({ kind }) => kind === 'command');
      if (isFirst && row?.kind === 'command' && row.attempt?.owner !== undefined) {
        isFirst = false;
        await deliver();
      }
      return written;
    },
  };
}

test.each(['start', 'stop'] as const)(
  '[C1 C4] a %s that two workers have at once goes out once: its row holds the second back',
  async (action) => {
    const bench = createUpdateBench();
    const command = aCommand({ action, id: action, issuedAt: '2026-11-20T22:10:00Z' });
    if (action === 'stop') await bench.deliver(aCommand());
    bench.passMs(600_000);
    const before = bench.patches.length;
    const seconds: unknown[] = [];
    const ledger = whileSending(bench.ledger, async () => seconds.push(await bench.deliver(command)));

    const first = await bench.deliver(command, { ledger });
    bench.passMs(60_000);
    const last = await bench.deliver(command);

    expect(seconds).toMatchObject([{ kind: 'later' }]);
    expect([first, last]).toMatchObject([{ outcomes: [{ kind: 'applied' }] }, { kind: 'done', outcomes: [] }]);
    expect(bench.patches).toHaveLength(before + 1);
    expect(bench.transitions.at(-1)).toBe(action === 'start' ? 'aa:starts' : 'aa:stops');
  },
);

test('[C1] a start that its copy brought to an outcome meanwhile keeps that outcome', async () => {
  const bench = createUpdateBench();
  const command = aCommand();
  let isFirst = true;
  const ledger: Ledger = {
    ...bench.ledger,
    async writeAll(changes) {
      if (isFirst) {
        isFirst = false;
        await bench.deliver(command);
      }
      return bench.ledger.writeAll(changes);
    },
  };

  const result = await bench.deliver(command, { ledger });

  expect(result).toEqual({ kind: 'done', outcomes: [] });
  expect(bench.patches).toHaveLength(1);
  expect(await bench.ledger.read<CommandRow>(ledgerKeys.command(command.id))).toMatchObject({
    outcome: { kind: 'applied' },
    openState: 'ENDED',
  });
});

test('[C13] a parked command that comes again without a decision stays parked, is not sent and is not lost', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 409, text: 'the run is archived' });
  const command = aCommand();

  const results = [await bench.deliver(command), await bench.deliver(command), await bench.deliver(command)];

  expect(results).toMatchObject([
    { kind: 'done', outcomes: [{ kind: 'parked', reason: 'CONFLICT' }] },
    { kind: 'done', outcomes: [] },
    { kind: 'done', outcomes: [] },
  ]);
  expect(bench.patches).toHaveLength(1);
  expect(await bench.ledger.read<CommandRow>(ledgerKeys.command(command.id))).toMatchObject({
    openState: 'PARKED',
    outcome: { reason: 'CONFLICT' },
    parked: { message: JSON.stringify(command) },
  });
  expect(new Set(bench.events.map(({ detail }) => detail['eventId'])).size).toBe(1);
});
