/** I2, I4: requests that were sent and never answered. */
import { describe, expect, it } from 'vitest';
import { afterApplying, end, keepSilent, reset, say } from '../bench/doings.ts';
import type { Doing } from '../bench/doings.ts';
import { pollsOf, runsTo, start, upload, uploadsTo } from '../bench/workers.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
/** For an answer that never comes. */
const short = { timeouts: { totalMs: 500 } };
/** A call that still waits by then waits for something else than that deadline. */
const hungMs = 15_000;

const garbage = say('HTTP/9 maybe\r\n\r\n');

interface Lost {
  readonly doing: Doing;
  /** Datasets that it makes. Our side cannot tell. */
  readonly effects: readonly number[];
  readonly errorCode?: string;
  readonly options?: typeof short;
}
const lost: readonly (readonly [name: string, how: Lost])[] = [
  ['[A7] a FIN before it was applied', { doing: end, effects: [] }],
  ['[A8] an RST after it was applied', { doing: afterApplying(reset), effects: [1] }],
  ['[A9] a FIN after it was applied', { doing: afterApplying(end), effects: [1] }],
  [
    '[A10] silence after it was applied',
    { doing: afterApplying(keepSilent), effects: [1], errorCode: 'TIMEOUT', options: short },
  ],
  ['[A17] a status line that is none after it was applied', { doing: afterApplying(garbage), effects: [1] }],
];

describe('a request that was sent and never answered', () => {
  it.each(lost)(
    '%s parks an upload, which is never sent twice',
    async (_name, { doing, effects, errorCode = 'CONNECTION_LOST', options }) => {
      const gateway = await startRawGateway();
      gateway.always(doing);
      const bench = uploadsTo(gateway, options);
      const body = bench.put(upload);

      const result = await bench.deliver(body);
      bench.pass(24 * 3_600_000);
      const again = await bench.deliver(body, { receiveCount: 2 });

      expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'POST_OUTCOME_UNKNOWN' }] });
      expect(again).toEqual({ kind: 'done', outcomes: [] });
      expect(await bench.row(upload)).toMatchObject({
        state: 'PARKED',
        parked: { requestSent: true, errorCode, lookFor: 'names', message: body },
      });
      expect([...gateway.datasets.values()]).toEqual(effects);
      expect(gateway.requests).toHaveLength(1);
    },
    hungMs,
  );

  it.each(lost)(
    '%s has a start sent again whose campaign cannot be read: it takes effect once',
    async (_name, { doing, options }) => {
      const gateway = await startRawGateway();
      gateway.next(doing);
      const bench = runsTo(gateway, options);

      const first = await bench.deliver(start);
      const waiting = await bench.inFlight();
      const second = await bench.deliver(start, { receiveCount: 2 });

      expect(first).toMatchObject({ kind: 'later' });
      expect(waiting).toHaveLength(1);
      expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
      expect(bench.patches()).toHaveLength(2);
      expect(bench.transitions()).toEqual(['starts']);
    },
    hungMs,
  );

  it.each(lost.filter(([, { options }]) => options === undefined))(
    '%s costs a listing one repeat of that page',
    async (_name, { doing }) => {
      const gateway = await startRawGateway({ page: () => ({ packages: [{ id: 'p1', name: 'one' }] }) });
      gateway.next(doing);
      const bench = pollsOf(gateway);

      await bench.poll();

      expect(bench.known()).toEqual(['p1']);
      expect(gateway.requests).toHaveLength(2);
    },
  );

  it('[A10] silence ends a listing at the deadline, and the next poll walks it', async () => {
    const gateway = await startRawGateway({ page: () => ({ packages: [{ id: 'p1', name: 'one' }] }) });
    gateway.next(keepSilent);
    const bench = pollsOf(gateway, short);

    await expect(bench.poll()).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('the headers'),
    });
    expect(bench.known()).toEqual([]);
    await bench.poll();

    expect(bench.known()).toEqual(['p1']);
    expect(gateway.requests).toHaveLength(2);
  });
});
