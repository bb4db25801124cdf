import { describe, expect, it } from 'vitest';
import { commandsOfMode, keyInTable, ledgerOfMode } from '#functions/_handler/observe.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { freeIds, type IdRow, newRunRow, type RunRow, withReturned, withUsed } from '#shared/ledger/rows/run-row.ts';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';

function upload(key: string, openSince = '2026-11-20T10:00:00.000Z'): UploadRow {
  return {
    pk: ledgerKeys.upload('bucket', key, 'v1'),
    kind: 'upload',
    state: 'READY',
    bucket: 'bucket',
    key,
    eventTime: '2026-11-20T10:00:00.000Z',
    attempts: 1,
    crashes: 0,
    openState: 'IN_FLIGHT',
    openSince,
  };
}

function bothModes() {
  const table = createMemoryLedger();
  return { table, act: ledgerOfMode('act', table), observe: ledgerOfMode('observe', table) };
}

describe('the ledger of a stage that observes', () => {
  it('answers its rows under the keys that the worker uses, and keeps them apart from what was done', async () => {
    const { table, act, observe } = bothModes();
    const row = upload('a.csv');

    const written = await observe.write(undefined, row);

    expect(written).toMatchObject({ pk: row.pk, version: 1, isObserved: true });
    expect(await observe.read(row.pk)).toEqual(written);
    expect(await act.read(row.pk)).toBeUndefined();
    expect(table.all()).toMatchObject([{ pk: `observe#${row.pk}`, isObserved: true }]);
  });

  it('knows what people have switched, as every mode does', async () => {
    const { table, act, observe } = bothModes();
    await setSwitch(table, stageSwitch, { isOn: true, by: 'ann', reason: 'CHG-7', at: new Date() });

    for (const ledger of [act, observe]) {
      expect(await ledger.read(ledgerKeys.switch('stage', 'stage'))).toMatchObject({ isOn: true });
      expect((await ledger.listOpen('SWITCHED')).items).toHaveLength(1);
    }
  });

  it('refuses the write of a worker that read an older version', async () => {
    const { observe } = bothModes();
    const row = upload('a.csv');
    const first = await observe.write(undefined, row);
    await observe.write(first, row);

    expect(await observe.write(first, row)).toBeUndefined();
    expect(await observe.write(undefined, row)).toBeUndefined();
  });

  it('begins with nothing: what was done before is not in it', async () => {
    const { act, observe } = bothModes();
    const row = upload('a.csv');
    await act.write(undefined, row);

    expect(await observe.read(row.pk)).toBeUndefined();
    expect(await observe.write(undefined, row)).toBeDefined();
    expect(await act.read(row.pk)).not.toHaveProperty('isObserved');
  });

  it('sees the ids that people bound and those that were used, and writes none of its own uses there', async () => {
    const { table, act, observe } = bothModes();
    const latest = { id: 's', issuedAt: '2026-11-20T10:00:00.000Z' };
    const real: RunRow = { ...withUsed(newRunRow('nightly'), 'a'), bound: ['b', 'c'], latest };
    const { pk } = real;
    await act.write<RunRow>(undefined, real);
    const observed = async () => observe.read<RunRow>(pk);
    const configured = ['a'];

    const first = await observed();
    const written = first && (await observe.write<RunRow>(first, withUsed(first, 'b')));
    const second = await observed();
    const bound = await act.read<RunRow>(pk);
    await act.write<RunRow>(bound, { ...real, bound: ['b', 'c', 'd'] });

    expect(first).toMatchObject({ pk, bound: ['b', 'c'] });
    expect(freeIds(first, configured)).toEqual(['b', 'c']);
    expect(first).not.toHaveProperty('latest');
    expect(written).toMatchObject({ pk, version: 1 });
    expect(freeIds(second, configured)).toEqual(['c']);
    expect(freeIds(await observed(), configured)).toEqual(['c', 'd']);
    expect(await observe.write(first, real)).toBeUndefined();
    expect(table.all()).toHaveLength(2);
    expect(freeIds(await act.read<RunRow>(pk), configured)).toEqual(['b', 'c', 'd']);
  });

  it('gives back an id that it would have used, and never one that was used for real', async () => {
    const { act, observe } = bothModes();
    const real = withUsed(newRunRow('nightly'), 'a');
    await act.write<RunRow>(undefined, real);
    const first = await observe.read<RunRow>(real.pk);
    const used = first && (await observe.write<RunRow>(first, withUsed(first, 'b')));
    if (used !== undefined) {
      const returned = withReturned(withReturned(used, 'b', []), 'a', []);
      await observe.write<RunRow>(used, returned);
    }

    expect(freeIds(await observe.read<RunRow>(real.pk), ['a', 'b'])).toEqual(['b']);
  });

  it('knows of one id that it was used for real, and may write its own use of it', async () => {
    const { table, act, observe } = bothModes();
    const real: IdRow = { pk: ledgerKeys.runId('a'), kind: 'run-id', campaignRunId: 'a', startId: 'acted' };
    await act.write<IdRow>(undefined, real);

    const first = await observe.read<IdRow>(real.pk);
    const written = await observe.write<IdRow>(first, { ...real, startId: 'observed' });

    expect(first).toMatchObject({ startId: 'acted', version: 0 });
    expect(written).toMatchObject({ startId: 'observed', version: 1 });
    expect(await observe.read<IdRow>(real.pk)).toMatchObject({ startId: 'acted', version: 1 });
    expect(await table.read<IdRow>(real.pk)).toMatchObject({ startId: 'acted', version: 1 });
  });

  it('takes its own use of an id that was given back for real', async () => {
    const { act, observe } = bothModes();
    const free: IdRow = { pk: ledgerKeys.runId('a'), kind: 'run-id', campaignRunId: 'a' };
    await act.write<IdRow>(undefined, free);

    await observe.write<IdRow>(await observe.read<IdRow>(free.pk), { ...free, startId: 'observed' });

    expect(await observe.read<IdRow>(free.pk)).toMatchObject({ startId: 'observed', version: 1 });
    expect(await act.read<IdRow>(free.pk)).not.toHaveProperty('startId');
  });

  it('reads and writes several rows under the same rules as one', async () => {
    const { table, act, observe } = bothModes();
    const [a, b] = [upload('a.csv'), upload('b.csv')];
    const stage = ledgerKeys.switch('stage', 'stage');
    const real: RunRow = { ...withUsed(newRunRow('nightly'), 'b'), bound: ['c'] };
    const { pk } = real;
    await act.write<RunRow>(undefined, real);
    await act.write(undefined, a);
    await setSwitch(table, stageSwitch, { isOn: true, by: 'ann', reason: 'CHG-7', at: new Date() });
    const first = await observe.readMany([pk, a.pk, stage]);
    const ids = first.get(pk);

    const written = await observe.writeAll([
      { before: ids, after: withUsed(real, 'c') },
      { before: undefined, after: a },
      { before: undefined, after: b },
    ]);

    expect([...first.keys()]).toEqual([pk, stage]);
    expect(ids).toMatchObject({ pk, used: real.used, version: 0 });
    expect(written).toMatchObject([
      { pk, version: 1 },
      { pk: a.pk, isObserved: true },
      { pk: b.pk, isObserved: true },
    ]);
    const rows = await observe.readMany([a.pk, b.pk, pk]);
    for (const row of [a, b, real]) expect(rows.get(row.pk)).toEqual(await observe.read(row.pk));
    expect(await act.readMany([a.pk, b.pk, pk])).toEqual(
      new Map([
        [a.pk, await table.read(a.pk)],
        [pk, await table.read(pk)],
      ]),
    );
    expect(await act.read(pk)).toMatchObject({ used: real.used, version: 1 });
  });

  it('writes none of several rows if one is not what was read', async () => {
    const { table, observe } = bothModes();
    const stale = await observe.write(undefined, upload('a.csv'));
    await observe.write(stale, upload('a.csv'));

    const written = await observe.writeAll([
      { before: undefined, after: upload('b.csv') },
      { before: stale, after: upload('a.csv') },
    ]);

    expect(written).toBe('row-changed');
    expect(table.all()).toMatchObject([{ key: 'a.csv', version: 2 }]);
  });

  it.each(['act', 'observe'] as const)('is listed by itself, over pages of the other (%s)', async (mode) => {
    const both = bothModes();
    const other = mode === 'act' ? both.observe : both.act;
    for (let minute = 10; minute < 16; minute += 1) {
      await other.write(undefined, upload(`other-${minute}.csv`, `2026-11-20T10:${minute}:00.000Z`));
    }
    const own = both[mode];
    await own.write(undefined, upload('own.csv', '2026-11-20T10:59:00.000Z'));

    const page = await own.listOpen('IN_FLIGHT', { limit: 2 });

    expect(page.items).toMatchObject([{ pk: upload('own.csv').pk, key: 'own.csv' }]);
    expect(page.next).toBeUndefined();
  });
});

describe('the commands of a stage', () => {
  const command = {
    version: 1,
    id: 'planned-stop:x',
    action: 'stop',
    run: 'nightly',
    issuedAt: '2026-11-20T10:00:00.000Z',
    origin: { kind: 'watcher', name: 'watch-campaigns' },
  };

  async function sentIn(mode: 'act' | 'observe') {
    const bodies: string[] = [];
    await commandsOfMode(mode, { send: async (body) => void bodies.push(body) }).send(JSON.stringify(command));
    return bodies.map((body) => parseCampaignRunCommand(body, new Date(command.issuedAt)));
  }

  it('say that they were only observed if it only observes, and the worker takes them all the same', async () => {
    expect(await sentIn('observe')).toEqual([{ ok: true, command: { ...command, isObserved: true } }]);
  });

  it('are sent as they are if it acts', async () => {
    expect(await sentIn('act')).toEqual([{ ok: true, command }]);
  });
});

describe('keyInTable', () => {
  it('is where a person finds the row', async () => {
    const { table, act, observe } = bothModes();
    const row = upload('a.csv');
    await act.write(undefined, row);
    await observe.write(undefined, row);

    const keys = (['act', 'observe'] as const).map((mode) => keyInTable(mode, row.pk));
    expect(table.all().map(({ pk }) => pk)).toEqual(keys);
  });
});
