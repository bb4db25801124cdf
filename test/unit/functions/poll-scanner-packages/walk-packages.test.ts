import { describe, expect, test } from 'vitest';
import { type Gate, openGate } from '#functions/_gateway/gate.ts';
import type { PollDeps } from '#functions/poll-scanner-packages/poll-watch.ts';
import { type ScannerPackage, type Verdict } from '#shared/gateway-client/index.ts';
import { statusError } from '../../../builders/ports.ts';
import { aPackage, aWatch, baselined, createPollBench, knownIn, packages, pagesOf } from './poll-bench.ts';

const nine = packages(9);

/**
 * A listing of three packages a page that remembers which pages it was asked for and fails if a
 * test says so.
 */
function createListing(listed: readonly ScannerPackage[]) {
  const asked: (string | undefined)[] = [];
  const spy = { listed, asked, fail: (_cursor: string | undefined): void => {} };
  const listScannerPackages: PollDeps['gateway']['listScannerPackages'] = async function* () {
    let cursor: string | undefined;
    for await (const page of pagesOf(spy.listed)) {
      asked.push(cursor);
      spy.fail(cursor);
      yield page;
      cursor = page.next;
    }
  };
  return Object.assign(spy, { gateway: { listScannerPackages } });
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
  const poll = (deps: Partial<PollDeps> = {}) => bench.poll([], { deps: { gateway: source.gateway, ...deps } });
  return { bench, source, poll };
}

const fromFirst = [undefined, '3', '6'];

describe('a walk that did not see the last page', () => {
  test.each([429, 503])(
    '[B3] for a pause after %i says so, tells the gate, and the next one begins again',
    async (code) => {
      const { bench, source, poll } = await knowingNine();
      const { gate, told } = createGateSpy();
      source.listed = nine.slice(0, 6).map((one) => ({ ...one, availableUpdate: '2026-02' }));
      source.fail = (cursor) => {
        if (cursor === '3') throw statusError(code, { retryAfterMs: 60_000 });
      };

      const answer = await poll({ gate });
      source.listed = nine;
      source.fail = () => {};
      await poll();

      expect(answer).toMatchObject({ isUnfinished: true, pages: 1, changes: 0 });
      expect(answer.summary).toMatch(
        /^cut off after page 1: the gateway asked for a pause; the next poll begins at the/,
      );
      expect(told).toMatchObject([{ about: 'watch#vendor' }]);
      expect(source.asked).toEqual([undefined, '3', ...fromFirst]);
      expect(bench.events).toEqual([]);
    },
  );

  test('as the gate closed on its way says so', async () => {
    const { source, poll } = await knowingNine();

    const answer = await poll({ gate: createGateSpy(2).gate });
    await poll();

    expect(answer).toMatchObject({ isUnfinished: true, pages: 2 });
    expect(source.asked).toEqual([undefined, '3', ...fromFirst]);
  });

  test('as its time was up is an error that says what to do, and concludes nothing', async () => {
    const { bench, source, poll } = await knowingNine();
    const before = await knownIn(bench.ledger);
    source.listed = packages(7);
    const times = [900_000];

    await expect(poll({ remainingMs: () => times.shift() ?? 40_000 })).rejects.toMatchObject({
      code: 'WALK_TOO_SLOW',
      message: expect.stringMatching(/of vendor was up after page 1.*Raise gateway\.requestsPerSecond\.reads/),
    });

    expect(await knownIn(bench.ledger)).toEqual(before);
  });
});

describe('a cursor', () => {
  test.each([400, 404, 410, 422])(
    '[B5] that the gateway refuses with %i is followed by one walk from the first page',
    async (code) => {
      const { bench, source, poll } = await knowingNine();
      const { gate, told } = createGateSpy();
      let refusals = 1;
      source.fail = (cursor) => {
        if (cursor === '3' && refusals-- > 0) throw statusError(code);
      };

      const answer = await poll({ gate });

      expect(answer).toMatchObject({ packages: 9, pages: 3 });
      expect(source.asked).toEqual([undefined, '3', ...fromFirst]);
      expect([told, bench.events]).toEqual([[], []]);
    },
  );

  test('[B5] that is refused again is an error', async () => {
    const { source, poll } = await knowingNine();
    source.fail = (cursor) => {
      if (cursor === '3') throw statusError(410);
    };

    await expect(poll()).rejects.toMatchObject({ status: 410 });

    expect(source.asked).toEqual([undefined, '3', undefined, '3']);
  });
});

/** Pages of a hundred, as many as are asked for. */
async function* hundreds(pages: number) {
  for (let page = 0; page < pages; page += 1)
    yield Array.from({ length: 100 }, (_, index) => aPackage(`p${page * 100 + index}`));
}

/** Nineteen empty pages between two that list something. */
async function* sparse() {
  yield packages(2);
  for (let page = 0; page < 19; page += 1) yield [];
  yield packages(4);
}

describe('a listing', () => {
  test('of more is refused by the name of its watch, and nothing is written', async () => {
    const bench = createPollBench();
    let pages = 0;
    async function* endless() {
      for await (const page of hundreds(1000)) {
        pages += 1;
        yield page;
      }
    }

    await expect(bench.poll(endless())).rejects.toMatchObject({
      code: 'WATCH_TOO_LARGE',
      message: expect.stringMatching(
        /^the watch vendor of scannerPackages lists more than 5000 packages.*Narrow its filt/,
      ),
    });

    expect(pages).toBe(51);
    expect(bench.ledger.all()).toEqual([]);
  });

  test.each([
    ['empty', (): ScannerPackage[] => []],
    ['the same', () => packages(3)],
  ])('[B1] whose pages are %s ends after twenty of them, and nothing is concluded', async (_, page) => {
    const bench = await baselined(aWatch(), packages(5));
    let pages = 0;
    async function* idle() {
      yield packages(3);
      for (;;) {
        pages += 1;
        yield page();
      }
    }

    await expect(bench.poll(idle())).rejects.toMatchObject({ code: 'LISTING_ENDLESS' });

    expect(pages).toBe(20);
    expect((await knownIn(bench.ledger)).size).toBe(5);
  });

  test('[B4] with nineteen empty pages between two that list something goes on', async () => {
    const bench = await baselined(aWatch(), packages(3));

    await bench.poll(sparse());

    expect(bench.events).toMatchObject([{ count: 1, changes: [{ kind: 'added', packageId: 'p4' }] }]);
  });
});

describe('a poll at the gate', () => {
  test('that is closed still sends what an earlier poll found', async () => {
    const bench = await baselined();
    const updated = [aPackage('p1', { availableUpdate: '2026-02' }), aPackage('p2'), aPackage('p3')];
    await bench.pollAndCrash(updated, { at: 1, when: 'after' });

    const answer = await bench.poll(updated, { deps: { gate: createGateSpy(0).gate } });

    expect(answer.summary).toContain('from before: 1 changed: start of smoke sent');
    expect(bench.startIds()).toHaveLength(1);
  });

  test('tells the gate of each page that was answered', async () => {
    const { poll } = await knowingNine();
    let answers = 0;

    await poll({ gate: { ...openGate, answered: async () => void (answers += 1) } });

    expect(answers).toBe(3);
  });
});
