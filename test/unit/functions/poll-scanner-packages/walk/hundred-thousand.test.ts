import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Listing } from '#functions/poll-scanner-packages/poll-state.ts';
import type { ListedPackage } from '#functions/poll-scanner-packages/walk/walk.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { rowsAtOnce } from '../../../../builders/rows-at-once.ts';
import { aWatch, CrashError, createPollBench } from '../poll-bench.ts';

const total = 100_000;
const perPage = 100;

/**
 * A page that is worked on and one that is being made. A row, and the one before if the engine
 * has not let go of it yet. All of them would be a thousand pages and five hundred rows.
 */
const fewObjects = 2 + 2;

/**
 * What is alive of the objects that it was shown, once garbage is collected: the most that was ever
 * counted.
 */
function createLiving() {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  let shown: WeakRef<object>[] = [];
  const counts: number[] = [];
  return {
    counts,
    show<Shown extends object>(one: Shown): Shown {
      shown.push(new WeakRef(one));
      return one;
    },
    async count(): Promise<void> {
      // What a turn has made or looked at is kept until its end.
      await nextTurn();
      collectGarbage();
      shown = shown.filter((one) => one.deref() !== undefined);
      counts.push(shown.length);
    },
  };
}

type Living = ReturnType<typeof createLiving>;

/** A listing that is made page by page. */
function createListing(living: Living) {
  const spy = { asked: [] as number[], updateEach: 0, atPage: (_page: number): void => {} };
  const listing: Listing = async function* (_filters, { cursor }) {
    for (let page = Number(cursor ?? 0); page < total / perPage; page += 1) {
      spy.asked.push(page);
      spy.atPage(page);
      if (page % 170 === 99) await living.count();
      const isLast = (page + 1) * perPage >= total;
      const next = isLast ? {} : { next: String(page + 1) };
      const packages = living.show(pageOf(page, spy.updateEach));
      yield { packages, ...next, digest: hash('sha256', JSON.stringify(packages)) };
    }
  };
  return Object.assign(spy, { listing });
}

function pageOf(page: number, updateEach: number): ListedPackage[] {
  return Array.from({ length: perPage }, (_, index) => {
    const number = page * perPage + index;
    const id = `019ba000-0000-7000-8000-${String(number).padStart(12, '0')}`;
    return { id, name: `Package ${number}`, availableUpdate: number % updateEach === 1 ? '2026-02' : '' };
  });
}

/**
 * A ledger as far away as a real one: rows are texts there, and only what was read is an object
 * here.
 */
function createTextLedger(living: Living) {
  const rows = new Map<string, string>();
  const spy = { writes: 0, reads: 0, packagesOfWalk: 0, largestRow: 0 };
  const one: Pick<Ledger, 'read' | 'write'> = {
    async read<Row extends LedgerRow>(pk: string): Promise<Stored<Row> | undefined> {
      spy.reads += 1;
      if (spy.reads % 125 === 0) await living.count();
      const text = rows.get(pk);
      return text === undefined ? undefined : living.show(JSON.parse(text));
    },
    async write(before, after) {
      if (versionIn(rows.get(after.pk)) !== before?.version) return undefined;
      spy.writes += 1;
      const stored = { ...after, version: (before?.version ?? 0) + 1, writer: `w${spy.writes}` };
      const text = JSON.stringify(stored);
      rows.set(after.pk, text);
      spy.largestRow = Math.max(spy.largestRow, Buffer.byteLength(text));
      if (after.kind === 'watch-walk') spy.packagesOfWalk += Object.keys(after.packages).length;
      return stored;
    },
  };
  const ledger: Ledger = { ...one, ...rowsAtOnce(one), listOpen: async () => ({ items: [] }) };
  return Object.assign(spy, { ledger });
}

function versionIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : JSON.parse(text).version;
}

test('a hundred thousand packages are walked, killed, resumed and compared with a few pages and rows in memory', async () => {
  const living = createLiving();
  const stored = createTextLedger(living);
  const source = createListing(living);
  const bench = createPollBench(aWatch({ onChange: [{ match: { field: 'availableUpdate' }, start: 'smoke' }] }));
  const poll = () => bench.poll([], { deps: { listing: source.listing, ledger: stored.ledger } });
  let mostUnsaved = 0;

  source.atPage = (page) => {
    mostUnsaved = Math.max(mostUnsaved, page * perPage - stored.packagesOfWalk);
    if (page === 730) throw new CrashError('killed');
  };
  await expect(poll()).rejects.toBeInstanceOf(CrashError);
  source.atPage = () => {};
  bench.advance(120_000);
  const resumed = await poll();
  const asked = source.asked.splice(0);
  source.updateEach = 5000;
  const compared = await poll();

  expect(mostUnsaved).toBeLessThanOrEqual(10_000);
  expect(asked).toEqual([...upTo(731), ...upTo(1000).slice(700)]);
  expect(resumed).toMatchObject({ packages: total, pages: 1000, isBaseline: true });
  expect(source.asked).toEqual(upTo(1000));
  expect(compared).toMatchObject({ packages: total, pages: 1000, changes: 20, starts: ['smoke'] });
  expect(bench.commands).toHaveLength(1);
  expect(Math.max(...living.counts)).toBeLessThanOrEqual(fewObjects);
  expect(stored.largestRow).toBeLessThan(350_000);
});

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
