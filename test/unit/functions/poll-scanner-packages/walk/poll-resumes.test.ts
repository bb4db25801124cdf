import { describe, expect, test } from 'vitest';
import { type Gate, openGate } from '#functions/_gateway/gate.ts';
import type { PollDeps } from '#functions/poll-scanner-packages/poll-state.ts';
import type { ListedPackage } from '#functions/poll-scanner-packages/walk/walk.ts';
import { BadStatusError, CursorLoopError, type Verdict } from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { WatchWalkRow } from '#shared/ledger/rows/watch-row.ts';
import { aPackage, aWatch, baselined, CrashError, createPollBench, packages, pagesFrom } from '../poll-bench.ts';

const nine = packages(9);
const status = (code: number, retryAfterMs?: number) =>
  new BadStatusError('GET /scanner-packages', { status: code, retryAfterMs, details: { text: '', fields: [] } });

/**
 * A listing of three packages a page that remembers which pages it was asked for and fails if a
 * test says so.
 */
function createListing(listed: readonly ListedPackage[]) {
  const asked: (string | undefined)[] = [];
  const spy = { listed, asked, fail: (_cursor: string | undefined): void => {} };
  const listing: PollDeps['listing'] = async function* (_filters, from) {
    let { cursor } = from;
    do {
      asked.push(cursor);
      spy.fail(cursor);
      const { value } = await pagesFrom(spy.listed, cursor).next();
      if (value === undefined) return;
      yield value;
      cursor = value.next;
    } while (cursor !== undefined);
  };
  return Object.assign(spy, { listing });
}

/** A gate that closes when it was asked so often, and keeps what it is told. */
function createGateSpy(goes = Infinity) {
  const told: { readonly verdict: Verdict; readonly about: string }[] = [];
  let asked = 0;
  const gate: Gate = {
    ...openGate,
    waitMs: async () => (++asked > goes ? 60_000 : 0),
    failed: async (verdict, about) => void told.push({ verdict, about }),
  };
  return { gate, told };
}

/** A watch that knows nine packages, and its listing. */
async function knowingNine() {
  const bench = await baselined(aWatch(), nine);
  const source = createListing(nine);
  const poll = (deps: Partial<PollDeps> = {}, options: { readonly watch?: ReturnType<typeof aWatch> } = {}) =>
    bench.poll([], { ...options, deps: { listing: source.listing, ...deps } });
  return { bench, source, poll };
}

/** Time for one page. */
const timeForOne = () => {
  const times = [900_000];
  return { remainingMs: () => times.shift() ?? 0 };
};

describe('a walk that was cut off', () => {
  test('says how far it came, and the next poll goes on from there', async () => {
    const { bench, source, poll } = await knowingNine();

    const answers = [await poll(timeForOne()), await poll(timeForOne()), await poll()];

    expect(answers.map(({ summary }) => summary)).toEqual([
      'cut off after page 1: the time of this poll is up; the next poll goes on from there',
      'cut off after page 2: the time of this poll is up; the next poll goes on from there',
      '9 packages, nothing changed',
    ]);
    expect(source.asked).toEqual([undefined, '3', '6']);
    expect(bench.events).toEqual([]);
    expect(await bench.head()).not.toHaveProperty('walk');
    expect((await bench.head())?.lease).toBeUndefined();
  });

  test('reports once what its parts saw, when it is complete', async () => {
    const { bench, source, poll } = await knowingNine();
    source.listed = [...nine.with(0, aPackage('p1', { availableUpdate: '2026-02' })), aPackage('p10')];

    await poll(timeForOne());
    const before = bench.events.length;
    await poll();

    expect(before).toBe(0);
    expect(bench.events).toMatchObject([{ count: 2 }]);
    expect(bench.startIds()).toHaveLength(1);
  });

  test('takes nothing for removed that an earlier part saw, however often it is cut off', async () => {
    const { bench, poll } = await knowingNine();

    for (let walk = 0; walk < 3; walk += 1) {
      await poll(timeForOne());
      await poll(timeForOne());
      await poll();
    }

    expect(bench.events).toEqual([]);
    expect(
      bench.ledger.all().flatMap((row) => (row.kind === 'watch-chunk' ? Object.values(row.packages) : [])),
    ).toEqual(expect.not.arrayContaining([expect.objectContaining({ missing: expect.any(Number) })]));
  });

  test('counts for one walk of the two that show a removal', async () => {
    const { bench, source, poll } = await knowingNine();
    source.listed = nine.slice(0, 8);

    await poll(timeForOne());
    await poll();
    const afterOne = bench.events.length;
    await poll();

    expect(afterOne).toBe(0);
    expect(bench.events).toMatchObject([{ changes: [{ kind: 'removed', packageId: 'p9' }] }]);
  });

  test('counts once, also if the poll that completes it dies while it concludes', async () => {
    const bench = await baselined(aWatch(), nine);
    const source = createListing(nine.slice(0, 8));
    const cutOff = { deps: { listing: source.listing, ...timeForOne() } };
    // Up to its last page, and one row of fingerprints written: p9 is missing once.
    await bench.poll([], cutOff);
    await expect(
      bench.poll([], { deps: { listing: source.listing }, crash: { at: 4, when: 'after' } }),
    ).rejects.toBeInstanceOf(CrashError);
    bench.advance(120_000);
    source.asked.length = 0;

    await bench.poll([], { deps: { listing: source.listing } });

    expect(source.asked).toEqual([undefined, '3', '6']);
  });

  test.each([
    ['the gateway asks for a pause', status(429, 60_000)],
    ['the gateway says when it is back', status(503, 60_000)],
  ])('by a pause is no error: %s', async (_what, failure) => {
    const { source, poll } = await knowingNine();
    const { gate, told } = createGateSpy();
    source.fail = (cursor) => {
      if (cursor === '3') throw failure;
    };

    const answer = await poll({ gate });
    source.fail = () => {};
    await poll();

    expect(answer).toMatchObject({ isUnfinished: true, pages: 1 });
    expect(told).toMatchObject([{ about: 'watch#vendor', verdict: { pauseMs: 60_000 } }]);
    expect(source.asked).toEqual([undefined, '3', '3', '6']);
  });

  test.each([500, 401])('by a %i lets the error escape, tells the gate, and goes on at that page', async (code) => {
    const { source, poll } = await knowingNine();
    const { gate, told } = createGateSpy();
    source.fail = (cursor) => {
      if (cursor === '6') throw status(code);
    };

    await expect(poll({ gate })).rejects.toMatchObject({ status: code });
    source.fail = () => {};
    await poll();

    expect(told).toHaveLength(1);
    expect(source.asked).toEqual([undefined, '3', '6', '6']);
  });

  test('by a kill loses the pages of the last minute at most', async () => {
    const { bench, source, poll } = await knowingNine();
    source.fail = (cursor) => {
      bench.advance(35_000);
      if (cursor === '6') throw new CrashError('killed');
    };

    await expect(poll()).rejects.toBeInstanceOf(CrashError);
    source.fail = () => {};
    bench.advance(120_000);
    await poll();

    expect(source.asked).toEqual([undefined, '3', '6', '6']);
  });

  test('keeps what it saw in rows that DynamoDB takes, however much it was', async () => {
    const bench = createPollBench();
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, field) => [`field-${field}`, field]));
    async function* pages() {
      yield Array.from({ length: 1000 }, (_, index) => aPackage(`p${index}`, wide));
    }

    await bench.poll(pages(), { deps: timeForOne() });

    const rows = bench.ledger.all().filter(({ kind }) => kind === 'watch-walk');
    expect(rows.length).toBeGreaterThan(1);
    expect(Math.max(...rows.map((row) => Buffer.byteLength(JSON.stringify(row))))).toBeLessThan(350_000);
    expect((await bench.head())?.walk).toMatchObject({ pages: 1, parts: { length: rows.length } });
  });
});

describe('a stored cursor', () => {
  test.each([400, 404, 410, 422])(
    'that the gateway refuses with %i is followed by one walk from the first page',
    async (code) => {
      const { bench, source, poll } = await knowingNine();
      const { gate, told } = createGateSpy();
      await poll(timeForOne());
      let refusals = 1;
      source.fail = (cursor) => {
        if (cursor === '3' && refusals-- > 0) throw status(code);
      };

      const answer = await poll({ gate });

      expect(answer).toMatchObject({ packages: 9, pages: 3 });
      expect(source.asked).toEqual([undefined, '3', undefined, '3', '6']);
      expect([told, bench.events]).toEqual([[], []]);
    },
  );

  test('that is refused again is an error, and the next poll begins at the first page', async () => {
    const { bench, source, poll } = await knowingNine();
    await poll(timeForOne());
    source.fail = (cursor) => {
      if (cursor === '3') throw status(410);
    };

    await expect(poll()).rejects.toMatchObject({ status: 410 });

    expect(source.asked).toEqual([undefined, '3', undefined, '3']);
    expect(await bench.head()).not.toHaveProperty('walk');
  });

  test.each([403, 500])(
    'that is answered %i for an hour is dropped: the next poll begins at the first page',
    async (code) => {
      const { bench, source, poll } = await knowingNine();
      await poll(timeForOne());
      source.fail = (cursor) => {
        if (cursor === '3') throw status(code);
      };

      await expect(poll()).rejects.toMatchObject({ status: code });
      const isKept = (await bench.head())?.walk !== undefined;
      bench.advance(3_600_001);
      await expect(poll()).rejects.toMatchObject({ status: code });

      expect(isKept).toBe(true);
      expect(await bench.head()).not.toHaveProperty('walk');
    },
  );

  test('is dropped if the listing goes in circles', async () => {
    const { bench, source, poll } = await knowingNine();
    await poll(timeForOne());
    source.fail = () => {
      throw new CursorLoopError(3);
    };

    await expect(poll()).rejects.toBeInstanceOf(CursorLoopError);

    expect(await bench.head()).not.toHaveProperty('walk');
  });

  test('is of no use with other filters', async () => {
    const { source, poll } = await knowingNine();
    await poll(timeForOne());

    await poll({}, { watch: aWatch({ filters: { source: 'internal' } }) });

    expect(source.asked).toEqual([undefined, undefined, '3', '6']);
  });

  test('is of no use where what was seen before it is not known any more', async () => {
    const { bench, source, poll } = await knowingNine();
    await poll(timeForOne());
    const pk = ledgerKeys.watchWalk('vendor', 0);
    const row = await bench.ledger.read<WatchWalkRow>(pk);
    await bench.ledger.write<WatchWalkRow>(row, { pk, kind: 'watch-walk', walk: 'another', packages: {} });

    await poll();

    expect(source.asked).toEqual([undefined, undefined, '3', '6']);
    expect(bench.events).toEqual([]);
  });
});

describe('a poll at the gate', () => {
  test('that is closed says so, makes no call and fails nothing', async () => {
    const { bench, source, poll } = await knowingNine();

    const answer = await poll({ gate: createGateSpy(0).gate });

    expect(answer.summary).toBe('no worker calls the gateway at the moment; a later poll looks');
    expect(source.asked).toEqual([]);
    expect((await bench.head())?.lease).toBeUndefined();
  });

  test('that is closed still sends what an earlier poll found', async () => {
    const bench = await baselined();
    const updated = [aPackage('p1', { availableUpdate: '2026-02' }), aPackage('p2'), aPackage('p3')];
    await bench.pollAndCrash(updated, { at: 6, when: 'after' });

    const answer = await bench.poll(updated, { deps: { gate: createGateSpy(0).gate } });

    expect(answer.summary).toContain('from before: 1 changed: start of smoke sent');
    expect(bench.startIds()).toHaveLength(1);
  });

  test('that closes during the walk keeps how far it came', async () => {
    const { source, poll } = await knowingNine();

    const answer = await poll({ gate: createGateSpy(2).gate });
    await poll();

    expect(answer).toMatchObject({ isUnfinished: true, pages: 2 });
    expect(source.asked).toEqual([undefined, '3', '6']);
  });

  test('tells the gate of each page that was answered', async () => {
    const { poll } = await knowingNine();
    let answers = 0;

    await poll({ gate: { ...openGate, answered: async () => void (answers += 1) } });

    expect(answers).toBe(3);
  });
});
