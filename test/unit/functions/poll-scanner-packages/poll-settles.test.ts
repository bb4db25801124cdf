import { describe, expect, test } from 'vitest';
import { openGate } from '#functions/_gateway/gate.ts';
import { ListingVanishedError } from '#functions/poll-scanner-packages/compare-packages.ts';
import type { ScannerPackage } from '#shared/gateway-client/index.ts';
import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import { aPackage, aWatch, baselined, packages } from './poll-bench.ts';

const forty = packages(40);

/** The forty packages with these updated. */
function updated(from: number, to: number, listed: readonly ScannerPackage[] = forty): ScannerPackage[] {
  return listed.map((one, index) => (index >= from && index < to ? { ...one, availableUpdate: '2026-02' } : one));
}

/** A watch that knows the forty; the bench polls it every fifteen minutes. */
const settling = (overrides: Partial<ResolvedPackageWatch> = {}) =>
  baselined(aWatch({ settle: 'PT20M', ...overrides }), forty);

describe('a change set that settles', () => {
  test('starts a run once for twenty packages that change within its time, whichever looks find them and whichever rules name it', async () => {
    const rules = [
      { match: { field: 'availableUpdate' }, start: 'smoke' },
      { match: { name: 'package*' }, start: 'smoke' },
      { match: { id: 'p20' }, start: 'nightly' },
    ];
    const bench = await settling({ onChange: rules });

    for (const count of [7, 14, 20, 20, 20, 20]) await bench.poll(updated(0, count));

    expect(bench.commands.map(({ run }) => run)).toEqual(['smoke', 'nightly']);
    expect(bench.events).toMatchObject([{ count: 20, starts: ['smoke', 'nightly'] }]);
  });

  test.each([
    [undefined, 1],
    ['PT1S', 1],
    ['PT10M', 2],
    ['PT15M', 2],
    ['PT16M', 3],
    ['PT45M', 4],
  ])('of %s is closed by the first look at which its last change is that old: number %i', async (settle, looks) => {
    const bench = await baselined(aWatch(settle === undefined ? {} : { settle }), forty);

    const sent: number[] = [];
    for (let look = 1; look <= 5; look += 1) {
      await bench.poll(updated(0, 3));
      sent.push(bench.commands.length);
    }

    expect(sent.indexOf(1) + 1).toBe(looks);
    expect(sent.at(-1)).toBe(1);
  });

  test('never waits longer than six times that, however often something changes', async () => {
    const bench = await settling();

    for (let look = 1; look <= 10; look += 1) await bench.poll(updated(0, look));

    // Opened by the first look, closed two hours later by the ninth, which opens another for what
    // it finds itself.
    expect(bench.events).toMatchObject([{ count: 8, since: '2026-11-20T22:30:00.000Z' }]);
    expect(bench.commands).toMatchObject([{ issuedAt: '2026-11-21T00:30:00.000Z' }]);
    expect((await bench.head())?.changeSet).toMatchObject({ since: '2026-11-21T00:30:00.000Z' });
  });

  test('never waits longer than that for a look that comes to its end, either', async () => {
    const bench = await settling();
    await bench.poll(updated(0, 3));
    const closed = { deps: { gate: { ...openGate, waitMs: async () => 60_000 } } };

    const answers = [];
    for (let look = 1; look <= 8; look += 1) answers.push((await bench.poll([], closed)).summary);

    expect(answers.slice(6)).toEqual([
      'no worker calls the gateway at the moment; a later poll looks; the change set of 2026-11-20T22:30:00.000Z waits until 2026-11-20T22:50:00.000Z for more',
      'no worker calls the gateway at the moment; a later poll looks; from before: 3 changed: start of smoke sent',
    ]);
    expect(bench.startIds()).toHaveLength(1);
  });

  test('is closed at once if the next look would come too late for it', async () => {
    const bench = await settling({ every: 'P1D' });

    await bench.poll(updated(0, 3));

    expect(bench.startIds()).toHaveLength(1);
  });

  test('is closed by the first look with other filters, which finds nothing more for it', async () => {
    const bench = await settling();
    await bench.poll(updated(0, 3));

    await bench.poll(packages(7), { watch: aWatch({ settle: 'PT20M', filters: { source: 'internal' } }) });

    expect(bench.events).toMatchObject([{ count: 3 }]);
    expect(bench.startIds()).toHaveLength(1);
  });
});

describe('while a change set waits', () => {
  test('each answer says so and until when; a log line says that it was extended', async () => {
    const bench = await settling();

    const answers = [];
    for (const count of [2, 3, 3, 3]) answers.push(await bench.poll(updated(0, count)));

    expect(answers.map(({ summary }) => summary)).toEqual([
      '40 packages, 2 changed: the change set of 2026-11-20T22:30:00.000Z waits until 2026-11-20T22:50:00.000Z for more',
      '40 packages, 1 changed: the change set of 2026-11-20T22:30:00.000Z waits until 2026-11-20T23:05:00.000Z for more',
      '40 packages, nothing more changed: the change set of 2026-11-20T22:30:00.000Z waits until 2026-11-20T23:05:00.000Z for more',
      '40 packages, 3 changed: start of smoke sent',
    ]);
    expect(answers.map(({ waitsUntil }) => waitsUntil)).toEqual([
      '2026-11-20T22:50:00.000Z',
      '2026-11-20T23:05:00.000Z',
      '2026-11-20T23:05:00.000Z',
      undefined,
    ]);
    expect(answers.map(({ starts }) => starts)).toEqual([[], [], [], ['smoke']]);
    expect(bench.logged.filter(({ event }) => event === 'change_set')).toHaveLength(3);
  });

  test('the watch is among the open rows, and no longer than that', async () => {
    const bench = await settling();

    const open = [];
    for (let look = 1; look <= 3; look += 1) {
      await bench.poll(updated(0, 1));
      open.push((await bench.ledger.listOpen('SETTLING')).items.map(({ pk, openSince }) => ({ pk, openSince })));
    }

    const waiting = [{ pk: 'watch#vendor', openSince: '2026-11-20T22:30:00.000Z' }];
    expect(open).toEqual([waiting, waiting, []]);
  });

  test('a listing that has lost most of its packages closes nothing, and what changed meanwhile is found when they are back', async () => {
    const bench = await settling();
    await bench.poll(updated(0, 3));

    await expect(bench.poll(packages(19))).rejects.toBeInstanceOf(ListingVanishedError);
    await expect(bench.poll(packages(19))).rejects.toThrow(
      '21 of 40 known scanner packages are missing from the listing',
    );
    const sentMeanwhile = bench.commands.length;
    for (let look = 1; look <= 3; look += 1) await bench.poll([...updated(0, 4), aPackage('p41')]);

    expect(sentMeanwhile).toBe(0);
    expect(bench.events).toMatchObject([{ count: 5 }]);
    expect(bench.startIds()).toHaveLength(1);
  });
});
