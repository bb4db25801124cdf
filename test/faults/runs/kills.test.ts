import { expect, test } from 'vitest';
import { type CommandItem, ledgerKeys } from '../../../shared/ledger/items.ts';
import { mortalWorker } from '../../unit/functions/update-campaign-runs/mortal-worker.ts';
import {
  aCommand,
  type Answer,
  campaignId,
  createUpdateBench,
  smokeId,
} from '../../unit/functions/update-campaign-runs/update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

async function drain(bench: Bench, command: ReturnType<typeof aCommand>): Promise<void> {
  // Two doubts, one after the other, at the longest.
  for (let delivery = 2; delivery < 30; delivery += 1) {
    bench.passMs(61_000);
    const result = await bench.deliver(command, { receiveCount: delivery });
    if (result.kind === 'done') {
      await bench.deliver(command, { receiveCount: delivery + 1 });
      return;
    }
  }
  throw new Error('never acknowledged');
}

/** Of the worst request, the fault that it meets: never sent, FIN after the request (A7), applied and no answer (A8, A9, A10), and none. */
const answers: readonly (readonly [string, Answer, boolean])[] = [
  ['answers', 'ok', true],
  ['cannot be reached', 'not-sent', false],
  ['closes without applying', 'lost', false],
  ['applies and never answers', 'applied-then-lost', true],
];
/** Binding, reservation, wish, request, answer, outcome, event: the last of them, and one that a start does not come to. */
const kills = [1, 2, 3, 4, 5, 6, 7, 8];
const matrix = (['start', 'stop'] as const).flatMap((action) =>
  answers.flatMap(([how, answer, isApplied]) =>
    kills.map((killAfter) => ({ action, how, answer, isApplied, killAfter })),
  ),
);

test.each(matrix)(
  '[C5 F10] a $action killed after effect $killAfter, with a gateway that $how: one outcome, one effect, one event id',
  async ({ action, answer, isApplied, killAfter }) => {
    const bench = createUpdateBench({ campaignId });
    const command = aCommand({ action });
    bench.answerWith(answer);

    const first = await bench.deliver(command, mortalWorker(bench, { killAfter })).catch(() => undefined);
    if (first?.kind !== 'done') await drain(bench, command);

    const row = await bench.ledger.read<CommandItem>(ledgerKeys.command(command.id));
    expect(row?.outcome?.kind === 'parked' ? row.outcome.reason : row?.outcome?.kind).toMatch(
      action === 'start' ? /^(?:applied|START_OUTCOME_UNKNOWN)$/ : /^applied$/,
    );
    const wanted = action === 'start' ? 'running' : 'stopped';
    const asked = bench.patches.filter(({ status }) => status === wanted).length;
    // A stop repeats freely, a start that was not applied may be sent once more.
    expect(asked).toBeLessThanOrEqual(action === 'start' ? (isApplied ? 1 : 2) : Infinity);
    expect(bench.statuses.get(smokeId) ?? 'never touched').toBe(
      row?.outcome?.kind === 'applied' || isApplied ? wanted : 'never touched',
    );
    expect(new Set(bench.events.map(({ detail }) => detail['eventId'])).size).toBe(1);
  },
);

test('[F10] seven of the above do kill a start that goes well', async () => {
  const ends = await Promise.all(
    kills.map(async (killAfter) => {
      const bench = createUpdateBench({ campaignId });
      const result = await bench.deliver(aCommand(), mortalWorker(bench, { killAfter })).catch(() => undefined);
      return result?.kind === 'done' ? 'lived' : 'killed';
    }),
  );

  expect(ends).toEqual([...Array.from({ length: 7 }, () => 'killed'), 'lived']);
});
