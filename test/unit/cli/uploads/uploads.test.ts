import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { command } from '#cli/uploads/uploads.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import { handleOf } from '#operator/handles.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { argumentsOf, fakeDeps, type FakeStage, textOf } from '../../operator/fake-deps.ts';
import { uploadRow } from '../../operator/parked-fixtures.ts';

const dayMs = 24 * 60 * 60_000;
const firstDay = Date.parse('2026-11-01T10:00:00.000Z');

/** A version that was put on a day of November. */
function version(key: string, day: number, more: Partial<ListedVersion> = {}): ListedVersion {
  const lastModified = new Date(firstDay + (day - 1) * dayMs);
  return { key, versionId: `${key}-${day}`, etag: 'e', sizeBytes: 120, lastModified, ...more };
}

function rowOf({ key, versionId }: ListedVersion, more: Partial<UploadRow> = {}): UploadRow {
  const eventTime = '2026-11-20T19:00:00.000Z';
  return uploadRow({ key, versionId, eventTime, outcome: { kind: 'applied', at: eventTime }, ...more });
}

async function uploads(stage: FakeStage, rows: readonly UploadRow[], ...argv: readonly string[]) {
  return command.run(argumentsOf(command, ...argv), fakeDeps({ ...stage, rows }).deps);
}

interface Data {
  readonly uploads: readonly { readonly key: string; readonly versionId: string }[];
  readonly next?: string;
}

describe('autopilot uploads', () => {
  const registered = version('datasets/a.csv', 3);
  const failed = version('datasets/pii/b.csv', 5);
  const waiting = version('datasets/pii/c.csv', 7);
  const unseen = version('datasets/pii/d.csv', 9);
  const bucket = [registered, failed, waiting, unseen];
  const rows = [
    rowOf(registered, { datasetId: 'd-1', ruleName: 'datasets/' }),
    rowOf(failed, {
      state: 'PARKED',
      openState: 'PARKED',
      ruleName: 'datasets/pii/',
      problemsByRow: [{ row: 3, line: 3, column: 'label', says: 'the label is "maybe"' }],
      outcome: { kind: 'parked', reason: 'CHECK_FAILED', at: '2026-11-05T10:00:01.000Z' },
    }),
    rowOf(waiting, {
      state: 'READY',
      outcome: undefined,
      attempts: 3,
      lastError: 'the gateway answered 503',
      notBefore: '2026-11-20T20:05:00.000Z',
    }),
  ];

  test('lists what became of each, newest first, in the fields that a program asks for', async () => {
    const result = await uploads({ bucket }, rows);

    expect(result.data).toEqual({
      uploads: [
        expect.objectContaining({ key: unseen.key, state: 'not seen yet', size: 120 }),
        expect.objectContaining({
          key: waiting.key,
          state: 'under way',
          attempts: 3,
          notBefore: '2026-11-20T20:05:00.000Z',
          pending: expect.objectContaining({ lastError: 'the gateway answered 503' }),
        }),
        expect.objectContaining({
          key: failed.key,
          versionId: failed.versionId,
          state: 'parked',
          reason: 'CHECK_FAILED',
          rule: 'datasets/pii/',
          eventTime: '2026-11-20T19:00:00.000Z',
          uploadedAt: failed.lastModified.toISOString(),
          parkedId: handleOf(rows[1]?.pk ?? ''),
          problemsByRow: [{ row: 3, line: 3, column: 'label', says: 'the label is "maybe"' }],
        }),
        expect.objectContaining({ key: registered.key, state: 'applied', datasetId: 'd-1', rule: 'datasets/' }),
      ],
    });
    expect(textOf(result).split('\n')).toEqual([
      '2026-11-09T10:00:00.000Z  not seen yet         datasets/pii/d.csv',
      '2026-11-07T10:00:00.000Z  under way            datasets/pii/c.csv  the gateway answered 503; next try 2026-11-20T20:05:00.000Z',
      `2026-11-05T10:00:00.000Z  parked CHECK_FAILED  datasets/pii/b.csv  parked ${handleOf(rows[1]?.pk ?? '')}`,
      '2026-11-03T10:00:00.000Z  applied              datasets/a.csv      dataset d-1',
    ]);
  });

  test('--prefix lists what is below it, and says so if nothing is', async () => {
    const { data } = await uploads({ bucket }, rows, '--prefix', 'pii');

    expect((data as Data).uploads.map(({ key }) => key)).toEqual(
      [waiting, failed, unseen]
        .map(({ key }) => key)
        .toSorted()
        .toReversed(),
    );
    expect(textOf(await uploads({ bucket }, rows, '--prefix', 'other'))).toBe('no file is below datasets/other/');
  });

  test('what a stage only observed is told as such; folders and marks of the doctor are no uploads', async () => {
    const folder = version('datasets/new folder/', 4, { sizeBytes: 0 });
    const observed = rowOf(registered, { isObserved: true });

    const result = await uploads({ bucket: [registered, folder] }, [observed]);

    expect(textOf(result)).toBe('2026-11-03T10:00:00.000Z  observed  datasets/a.csv');
  });

  test('pages follow each other without a gap or a repeat, also within one second', async () => {
    const day = fc.integer({ min: 1, max: 4 });
    const numbers = fc.array(day, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        numbers,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        async (days, limit, pageSize) => {
          const all = days.map((one, index) => version(`datasets/${String(index).padStart(2, '0')}.csv`, one));
          const seen: string[] = [];
          for (let next: string | undefined = ''; next !== undefined;) {
            const words: readonly string[] = ['--limit', String(limit), ...(next === '' ? [] : ['--cursor', next])];
            const page = (await uploads({ bucket: all, pageSize }, [], ...words)).data as Data;
            seen.push(...page.uploads.map(({ key, versionId }) => `${versionId.split('-').at(-1)} ${key}`));
            next = page.next;
          }

          expect(seen).toEqual(seen.toSorted().toReversed());
          expect(seen).toHaveLength(days.length);
          expect(new Set(seen).size).toBe(days.length);
        },
      ),
      propertyRuns(40),
    );
  });

  test('a bucket that is too large to list is told, with the way to ask for less', async () => {
    const many = Array.from({ length: 30 }, (_, index) => version(`datasets/${index}.csv`, 1));

    const result = await uploads({ bucket: many, pageSize: 1 }, [], '--limit', '5');

    expect(result.data).toMatchObject({ isPartial: true });
    expect(textOf(result)).toContain('only the first 20 versions below datasets/ were looked at');
  });

  test('a cursor of something else is refused', async () => {
    for (const cursor of ['nonsense', 'e30', Buffer.from('["a"]').toString('base64url')])
      await expect(uploads({ bucket }, rows, '--cursor', cursor)).rejects.toThrow('the cursor is none');
  });
});
