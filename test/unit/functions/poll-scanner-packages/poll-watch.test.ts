import { describe, expect, test } from 'vitest';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { readRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { ListingVanishedError } from '#functions/poll-scanner-packages/compare-packages.ts';
import { outgoingOfPackages, withFound } from '#functions/poll-scanner-packages/package-change-set.ts';
import { countOf } from '#shared/changes/words.ts';
import type { PackageChange } from '#shared/ledger/rows/watch-row.ts';
import { aPackage, aWatch, baselined, createPollBench, packageRowsOf, packages } from './poll-bench.ts';

const updated = aPackage('p2', { availableUpdate: '2026-02' });
const withUpdate = [aPackage('p1'), updated, aPackage('p3')];

describe('a poll of a watch', () => {
  test('takes the first walk for a baseline and reports nothing', async () => {
    const bench = await baselined();

    expect(bench.commands).toEqual([]);
    expect(bench.events).toEqual([]);
    expect(bench.logged.at(-1)).toMatchObject({ event: 'packages_baseline', fields: { packages: 3 } });
    expect(await bench.head()).toMatchObject({ baselineAt: '2026-11-20T22:15:00.000Z', packages: 3 });
  });

  test('reports which fields of which package changed, and starts the run of the rule once', async () => {
    const bench = await baselined();

    await bench.poll(withUpdate);
    await bench.poll(withUpdate);

    const [event] = bench.events;
    expect(bench.events).toHaveLength(1);
    expect(event).toMatchObject({
      watch: 'vendor',
      count: 1,
      changes: [{ kind: 'changed', packageId: 'p2', name: 'Package p2', fields: ['availableUpdate'] }],
      starts: ['smoke'],
    });
    expect(bench.commands).toEqual([
      {
        version: 1,
        id: `change:vendor:${event?.eventId}:smoke`,
        action: 'start',
        run: 'smoke',
        issuedAt: '2026-11-20T22:30:00.000Z',
        origin: { kind: 'change', name: 'vendor' },
        reason: '1 changed: Package p2 (availableUpdate)',
      },
    ]);
    expect(bench.counted).toEqual([{ metric: 'PackagesChanged', value: 1 }]);
    expect(await readRecentOutcomes(bench.ledger)).toMatchObject([
      { worker: 'poll-scanner-packages', subject: 'vendor', kind: 'applied', detail: bench.commands[0]?.reason },
    ]);
    expect(bench.logged.map(({ event: name }) => name)).toContain('change_set');
  });

  test('answers what it came to, in a sentence and in fields', async () => {
    const bench = createPollBench();

    const answers = [await bench.poll(packages(3)), await bench.poll(packages(3)), await bench.poll(withUpdate)];

    expect(answers.map(({ summary }) => summary)).toEqual([
      '3 packages, first look, nothing to compare with yet',
      '3 packages, nothing changed',
      '3 packages, 1 changed: start of smoke sent',
    ]);
    expect(answers[2]).toMatchObject({ packages: 3, pages: 1, changes: 1, isBaseline: false, starts: ['smoke'] });
  });

  test('answers also what it sent for a poll that died', async () => {
    const bench = await baselined();
    // Dead after its transaction, with nothing sent.
    await bench.pollAndCrash(withUpdate, { at: 1, when: 'after' });
    expect((await bench.head())?.changeSet).toMatchObject({ isClosing: true });

    const { summary } = await bench.poll([...withUpdate, aPackage('p4')]);

    expect(summary).toBe('4 packages, 1 changed, 1 added: start of smoke sent');
  });

  test('sends commands that the commands queue takes', async () => {
    const bench = await baselined();

    await bench.poll([...packages(3), ...Array.from({ length: 90 }, (_, index) => aPackage(`new-package-${index}`))]);

    const parsed = parseCampaignRunCommand(JSON.stringify(bench.commands[0]), new Date('2026-11-21T00:00:00Z'));
    expect(parsed).toMatchObject({ ok: true });
  });

  test('reports an added package, and one that two complete walks did not show as removed', async () => {
    const bench = await baselined();
    const later = [aPackage('p1'), aPackage('p2'), aPackage('p4')];

    await bench.poll(later);
    await bench.poll(later);

    expect(bench.events.map(({ changes }) => changes)).toEqual([
      [{ kind: 'added', packageId: 'p4', name: 'Package p4', fields: [] }],
      [{ kind: 'removed', packageId: 'p3', name: 'Package p3', fields: [] }],
    ]);
  });

  test('sends what it found before the filters changed, once, also when they are changed back', async () => {
    const bench = await baselined();
    await bench.pollAndCrash(withUpdate, { at: 1, when: 'after' });
    expect((await bench.head())?.changeSet).toMatchObject({ isClosing: true });

    await bench.poll(packages(1), { watch: aWatch({ filters: { source: 'internal' } }) });
    await bench.poll(withUpdate);

    expect(bench.startIds()).toHaveLength(1);
    expect(bench.events).toHaveLength(1);
  });

  test('lists at most 500 changes in the row and 100 in the event, counts all, and matches all', async () => {
    const bench = await baselined(aWatch({ onChange: [{ match: { id: 'p703' }, start: 'smoke' }] }));

    await bench.poll(packages(703));

    expect(bench.events[0]).toMatchObject({ count: 700, starts: ['smoke'] });
    expect(bench.events[0]?.['changes']).toHaveLength(100);
    expect(bench.commands).toHaveLength(1);
  });
});

test('a change that was seen while the stage observed is news again once it acts', async () => {
  const bench = createPollBench(aWatch());
  const observing = { ledger: createMemoryLedger() };
  const acting = { ledger: bench.ledger };
  const changed = [aPackage('p1', { availableUpdate: '2026-02' }), ...packages(3).slice(1)];
  await bench.poll(packages(3), { deps: acting });
  await bench.poll(packages(3), { deps: observing });

  await bench.poll(changed, { deps: observing });
  const observed = bench.commands.length;
  await bench.poll(changed, { deps: acting });

  expect(observed).toBe(1);
  expect(bench.commands).toHaveLength(2);
  expect(new Set(bench.commands.map(({ id }) => id)).size).toBe(2);
});

describe('a listing that cannot be believed', () => {
  test.each([
    ['more than half of ten are missing', packages(10), packages(4)],
    ['it is empty', packages(3), []],
  ])('is an error that changes nothing: %s', async (_, known, listed) => {
    const bench = await baselined(aWatch(), known);
    const before = packageRowsOf(bench.ledger);

    await expect(bench.poll(listed)).rejects.toBeInstanceOf(ListingVanishedError);
    await expect(bench.poll(listed)).rejects.toBeInstanceOf(ListingVanishedError);
    await bench.poll(known);

    expect(bench.events).toEqual([]);
    expect(packageRowsOf(bench.ledger)).toEqual(before);
  });

  test('half of ten may be removed', async () => {
    const bench = await baselined(aWatch(), packages(10));

    await bench.poll(packages(5));
    await bench.poll(packages(5));

    expect(bench.events[0]).toMatchObject({ count: 5 });
  });
});

test('changes with many fields are listed as far as a row and an event have room, and all are counted', () => {
  const fields = Array.from({ length: 60 }, (_, index) => `a field with a long name ${index}`);
  const changes = Array.from({ length: 400 }, (_, index): PackageChange => {
    return { kind: 'changed', packageId: `p${index}`, name: `p${index}`, fields };
  });

  const set = withFound(undefined, { changes, starts: [], at: '2026-11-20T22:00:00.000Z' }, 'c1');
  const [event] = outgoingOfPackages('vendor', set).events;

  expect(Buffer.byteLength(JSON.stringify(set))).toBeLessThan(251_000);
  expect(Buffer.byteLength(JSON.stringify(event?.detail))).toBeLessThan(201_000);
  expect(set.changes.length).toBeGreaterThan(20);
  expect(countOf(set)).toBe(400);
});
