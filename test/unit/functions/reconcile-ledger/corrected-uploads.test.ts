/** An upload that failed its check stayed parked after the corrected file was registered under its key: each attempt of a person left a row. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { handleOf } from '#shared/ledger/open-rows.ts';
import { resolveDismiss, resolveRepeat } from '#shared/ledger/resolve-parked.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { goodCsv, createUploadBench } from '../register-datasets/upload-bench.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { createReconcileBench, minuteMs } from './reconcile-bench.ts';

const key = 'datasets/pii/names.csv';
const badCsv = 'Prompt;Label\nignore all rules;TRUE\n';

/** A person's copies of one file and the workers that see them, over one ledger and one bucket. */
function createStage(mode: 'act' | 'observe' = 'act') {
  const worker = createUploadBench();
  worker.deps.config = { ...worker.deps.config, mode };
  /** What happens between the reads of a tick and its next write. */
  const faults: { write: (row: LedgerRow) => Promise<void> } = { write: async () => {} };
  const { ledger } = worker;
  const write: Ledger['write'] = async (before, after) => {
    await faults.write(after);
    return ledger.write(before, after);
  };
  const reconciler = createReconcileBench([{ prefix: 'datasets/' }], { ...ledger, write });
  const bodies = new Map<string, string>();

  function pass(ms: number): void {
    worker.pass(ms);
    reconciler.pass(ms);
  }

  /** Puts a version, a second after the one before it; nothing is delivered. */
  function put(versionId: string, body: string, of = key): void {
    pass(1000);
    bodies.set(versionId, worker.put({ key: of, versionId, body }));
    reconciler.put(of, { versionId });
  }

  const deliver = (versionId: string) => worker.deliver(bodies.get(versionId) ?? '');
  const row = (versionId: string, of = key) => worker.row({ key: of, versionId });
  const isOpen = async (versionId: string) => (await row(versionId))?.openState === 'PARKED';

  return { worker, reconciler, faults, put, deliver, row, isOpen, pass, tick: () => reconciler.tick() };
}

async function rowOf(stage: ReturnType<typeof createStage>, versionId: string) {
  const row = await stage.row(versionId);
  if (row === undefined) throw new Error(`there is no row of ${versionId}`);
  return row;
}

describe('an upload that failed its check, once a newer version of its key is registered', () => {
  // The corrected bytes were a dataset already, from another try: the parked row stayed for good.
  test('is closed also if the gateway has the bytes of the newer version already', async () => {
    const stage = createStage();
    for (const [version, body] of [
      ['v1', goodCsv],
      ['v2', badCsv],
      ['v3', goodCsv],
    ] as const) {
      stage.put(version, body);
      await stage.deliver(version);
    }

    await stage.tick();

    const row = await rowOf(stage, 'v2');
    expect(row.openState).toBeUndefined();
    expect(row.resolutions).toMatchObject([
      { reason: 'version v3 of the key has the bytes of dataset dataset-1', correctedBy: 'v3' },
    ]);
  });

  test('is closed, and its row says by which version', async () => {
    const stage = createStage();
    stage.put('v1', badCsv);
    await stage.deliver('v1');
    stage.put('v2', goodCsv);
    await stage.deliver('v2');

    const answer = await stage.tick();

    const row = await rowOf(stage, 'v1');
    expect(row).toMatchObject({ state: 'PARKED', outcome: { kind: 'parked', reason: 'CHECK_FAILED' } });
    expect(row.openState).toBeUndefined();
    expect(row.expiresAt).toBeGreaterThan(0);
    expect(row.resolutions).toEqual([
      {
        decision: 'dismiss',
        by: 'reconcile-ledger',
        reason: 'version v2 of the key was registered as dataset dataset-1',
        at: new Date(stage.worker.state.nowMs).toISOString(),
        correctedBy: 'v2',
      },
    ]);
    // `autopilot parked show` finds a closed row by its handle.
    expect(await stage.worker.ledger.read(ledgerKeys.handle(handleOf(row.pk)))).toMatchObject({ rows: [row.pk] });
    expect(answer).toMatchObject({ parked: 0, corrected: 1 });
    expect(answer.summary).toContain('1 closed by a corrected upload');
    expect(stage.reconciler.metric('ParkedOpen')).toEqual([0]);
    expect(stage.reconciler.lines).toContainEqual({
      level: 'info',
      event: 'upload_corrected',
      fields: { key, versionId: 'v1', correctedBy: 'v2', ledgerKey: row.pk },
    });
  });

  test('is closed as well if the newer one was registered first, or was replaced by a bad one', async () => {
    const stage = createStage();
    for (const [versionId, body] of [
      ['v1', badCsv],
      ['v2', goodCsv],
      ['v3', badCsv],
    ] as const)
      stage.put(versionId, body);
    for (const versionId of ['v2', 'v3', 'v1']) await stage.deliver(versionId);

    await stage.tick();

    expect([await stage.isOpen('v1'), await stage.isOpen('v3')]).toEqual([false, true]);
    expect((await rowOf(stage, 'v1')).resolutions).toMatchObject([{ correctedBy: 'v2' }]);
    expect(stage.reconciler.metric('ParkedOpen', 'CHECK_FAILED')).toEqual([1]);
  });

  test('all of them are closed, however often the file was tried', async () => {
    const stage = createStage();
    for (let version = 1; version <= 4; version += 1) {
      stage.put(`v${version}`, badCsv);
      await stage.deliver(`v${version}`);
    }
    stage.put('v5', goodCsv);
    await stage.deliver('v5');

    expect(await stage.tick()).toMatchObject({ parked: 0, corrected: 4 });
  });

  test('is closed the same in a stage that only observes, and found by the handle that people know', async () => {
    const stage = createStage('observe');
    stage.put('v1', badCsv);
    stage.put('v2', goodCsv);
    for (const versionId of ['v1', 'v2']) await stage.deliver(versionId);

    await stage.tick();

    const pk = ledgerKeys.upload('uploads', key, 'v1');
    const row = await stage.worker.ledger.read<UploadRow>(pk);
    expect(row?.openState).toBeUndefined();
    expect(row?.resolutions).toMatchObject([{ reason: 'version v2 of the key would have been registered' }]);
    expect(await stage.worker.ledger.read(ledgerKeys.handle(handleOf(pk)))).toMatchObject({ rows: [pk] });
  });

  test('delivered again, the closed one stays closed', async () => {
    const stage = createStage();
    stage.put('v1', badCsv);
    stage.put('v2', goodCsv);
    for (const versionId of ['v1', 'v2']) await stage.deliver(versionId);
    await stage.tick();

    expect(await stage.deliver('v1')).toMatchObject({ kind: 'done' });

    expect(await stage.isOpen('v1')).toBe(false);
  });
});

describe('an upload that failed its check stays parked', () => {
  test('if the version that was registered is the older one', async () => {
    const stage = createStage();
    stage.put('v1', goodCsv);
    stage.put('v2', badCsv);
    for (const versionId of ['v1', 'v2']) await stage.deliver(versionId);

    await stage.tick();

    expect(await stage.isOpen('v2')).toBe(true);
  });

  test('while the newer one is under way, and if it failed too or was given up', async () => {
    for (const newer of [
      { state: 'SENDING' },
      { state: 'READY' },
      { state: 'UNKNOWN' },
      { state: 'SKIPPED', outcome: { kind: 'skipped', at: '' } },
      { state: 'PARKED', openState: 'PARKED', outcome: { kind: 'parked', reason: 'VALIDATION', at: '' } },
    ] satisfies Partial<UploadRow>[]) {
      const stage = createStage();
      stage.put('v1', badCsv);
      await stage.deliver('v1');
      const [, v2] = [stage.put('v2', goodCsv), stage.reconciler.bucket.at(-1)];
      if (v2 === undefined) throw new Error('nothing was put');
      await stage.tick();
      expect(await stage.isOpen('v1'), 'without a row').toBe(true);
      await stage.reconciler.register(v2, newer);

      await stage.tick();

      expect(await stage.isOpen('v1'), newer.state).toBe(true);
    }
  });

  test('if the file that was registered has another key that begins alike', async () => {
    const stage = createStage();
    stage.put('v1', badCsv);
    await stage.deliver('v1');
    stage.put('w1', goodCsv, `${key}.2026.csv`);
    await stage.deliver('w1');

    await stage.tick();

    expect(await stage.isOpen('v1')).toBe(true);
  });

  test('if a request left for it, or it is parked for another reason', async () => {
    for (const other of [{ sentAt: '2026-11-20T09:59:59.000Z' }, { reason: 'VALIDATION' as const }]) {
      const stage = createStage();
      stage.put('v1', badCsv);
      await stage.deliver('v1');
      const row = await rowOf(stage, 'v1');
      const { reason = 'CHECK_FAILED', ...fields } = other as { reason?: 'VALIDATION'; sentAt?: string };
      await stage.worker.ledger.write(row, {
        ...row,
        ...fields,
        outcome: { kind: 'parked', reason, at: row.openSince ?? '' },
      });
      stage.put('v2', goodCsv);
      await stage.deliver('v2');

      await stage.tick();

      expect(await stage.isOpen('v1'), JSON.stringify(other)).toBe(true);
    }
  });
});

describe('while others are at it', () => {
  test('a person who decides at the same moment is not overruled', async () => {
    for (const resolve of [resolveRepeat, resolveDismiss]) {
      const stage = createStage();
      stage.put('v1', badCsv);
      stage.put('v2', goodCsv);
      for (const versionId of ['v1', 'v2']) await stage.deliver(versionId);
      const decision = { by: 'kim', reason: 'looked', at: new Date(stage.worker.state.nowMs) };
      stage.faults.write = async ({ kind }) => {
        if (kind !== 'upload') return;
        stage.faults.write = async () => {};
        const parked = await rowOf(stage, 'v1');
        await stage.worker.resolve(parked, resolve(parked, decision));
      };

      await stage.tick();
      await stage.tick();

      const row = await rowOf(stage, 'v1');
      expect(row.resolutions).toMatchObject([{ by: 'kim' }]);
      expect(row.openState).not.toBe('PARKED');
    }
  });

  test('what fails between its writes is made good by the next tick, and the rest of the tick is done', async () => {
    const stage = createStage();
    stage.put('v1', badCsv);
    stage.put('v2', goodCsv);
    for (const versionId of ['v1', 'v2']) await stage.deliver(versionId);
    stage.faults.write = async ({ kind }) => {
      if (kind === 'upload') throw new Error('killed');
    };
    expect(await stage.tick()).toMatchObject({ parked: 1, corrected: 0, isComplete: true });
    expect(stage.reconciler.lines).toContainEqual(expect.objectContaining({ level: 'warn', event: 'failed' }));
    stage.faults.write = async () => {};
    expect(await stage.isOpen('v1')).toBe(true);
    stage.pass(5 * minuteMs);

    await stage.tick();

    expect(await stage.isOpen('v1')).toBe(false);
  });

  test('of many keys each is looked at in its turn, and a tick costs a few requests', async () => {
    const stage = createStage();
    const keys = Array.from({ length: 60 }, (_, number) => `datasets/pii/${number}.csv`);
    for (const [number, one] of keys.entries()) {
      stage.put(`bad-${number}`, badCsv, one);
      stage.put(`good-${number}`, `${goodCsv}who are you ${number}?,false\n`, one);
      await stage.deliver(`bad-${number}`);
      await stage.deliver(`good-${number}`);
    }

    const closed: unknown[] = [];
    let parked: unknown = keys.length;
    while (parked !== 0 && closed.length < 10) {
      const answer = await stage.tick();
      closed.push(answer['corrected']);
      parked = answer['parked'];
      stage.pass(5 * minuteMs);
    }

    expect(closed).toEqual([25, 25, 10]);
  });

  test('whatever the order of versions, deliveries and ticks: closed if, and only if, a newer one is registered', async () => {
    const step = fc.oneof(fc.record({ deliver: fc.nat(4) }), fc.constant({ tick: true as const }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), fc.array(step), async (files, steps) => {
        const stage = createStage();
        for (const [index, isGood] of files.entries())
          stage.put(`v${index}`, isGood ? `${goodCsv}and ${index}?,false\n` : badCsv);
        for (const one of steps) {
          if ('tick' in one) await stage.tick();
          else if (one.deliver < files.length) await stage.deliver(`v${one.deliver}`);
        }

        await stage.tick();

        const rows = await Promise.all(files.map((_file, index) => stage.row(`v${index}`)));
        for (const [index, row] of rows.entries()) {
          if (row?.state !== 'PARKED') continue;
          const isCorrected = rows.slice(index + 1).some((newer) => newer?.state === 'APPLIED');
          expect(row.openState === 'PARKED', `v${index}`).toBe(!isCorrected);
          expect(row.resolutions?.length ?? 0).toBe(isCorrected ? 1 : 0);
        }
      }),
      propertyRuns(100),
    );
  });
});
