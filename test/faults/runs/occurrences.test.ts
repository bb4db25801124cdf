import { describe, expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import {
  type Answer,
  tenOClock,
  aCommand,
  createUpdateBench,
} from '../../unit/functions/update-campaign-runs/harness/update-bench.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe('a start that fails for six hours', () => {
  const faults: readonly (readonly [string, Answer])[] = [
    ['is never sent', 'not-sent'],
    ['is refused for its rate', { status: 429, text: 'busy' }],
    ['is never answered', 'lost'],
    ['is answered 500', { status: 500, text: 'oops' }],
  ];

  test.each(faults)('[E7] because it %s does not hold up its stop for two minutes', async (_how, answer) => {
    const bench = createUpdateBench();
    const start = aCommand({ validFor: 'P1D', stopAfter: 'PT12H' });
    const stop = aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-21T04:00:00Z' });
    bench.answerWith(...Array.from({ length: 500 }, () => answer));
    while (bench.now().getTime() < tenOClock + 6 * hourMs) {
      await bench.deliver(start);
      bench.passMs(5 * minuteMs);
    }
    await bench.deliver(start);
    const sentBefore = bench.patches.length;
    bench.answerWith();

    const dueAt = bench.now().getTime();
    let result = await bench.deliver(stop);
    while (result.kind === 'later' && bench.now().getTime() < dueAt + hourMs) {
      bench.passMs(result.delayMs);
      result = await bench.deliver(stop);
    }
    const tookMs = bench.now().getTime() - dueAt;

    expect(tookMs).toBeLessThanOrEqual(2 * minuteMs);
    expect(result).toMatchObject({ outcomes: [{ kind: expect.stringMatching(/^(?:applied|skipped)$/) }] });
    expect(bench.patches.slice(sentBefore).every(({ status }) => status === 'cancelled')).toBe(true);

    bench.passMs(hourMs);
    await bench.deliver(start);
    bench.passMs(5 * minuteMs);
    expect(bench.begun()).toEqual([]);
    expect(await bench.ledger.read<CommandRow>(ledgerKeys.command(start.id))).toMatchObject({
      outcome: { kind: 'superseded' },
    });
  });
});
