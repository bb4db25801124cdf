import { expect, test } from 'vitest';
import { command } from '#cli/parked/parked.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { argumentsOf, fakeDeps, now } from '../../operator/fake-deps.ts';
import { parkedUpload } from '../../operator/parked-fixtures.ts';

/** Three versions of each key, the newest first. */
const versions = ['v3', 'v2', 'v1'].map((versionId, index) => ({
  versionId,
  lastModified: new Date(now.getTime() - index * 60_000),
}));

const older = parkedUpload({ reason: 'CHECK_FAILED' });

function versionOf(row: UploadRow, versionId: string, fields: Partial<UploadRow> = {}): UploadRow {
  const outcome = { kind: 'applied', at: now.toISOString() } as const;
  const pk = ledgerKeys.upload('bucket', row.key, versionId);
  const ended = { state: 'APPLIED', datasetId: 'ds-9', outcome, openState: undefined, openSince: undefined } as const;
  return { ...row, pk, versionId, ...ended, ...fields };
}

async function stageWith(...rows: readonly UploadRow[]) {
  const stage = fakeDeps({ versions });
  for (const row of rows) await stage.ledger.write<UploadRow>(undefined, row);
  const dismiss = async (...more: readonly string[]) =>
    command.run(argumentsOf(command, 'resolve', '--dismiss', '--superseded', ...more), stage.deps);
  return { ...stage, dismiss };
}

test('ends every upload whose work a newer version of its key has done, and says why', async () => {
  const other = parkedUpload({ reason: 'CHECK_FAILED', key: 'datasets/b.csv' });
  const { ledger, dismiss, sent } = await stageWith(older, versionOf(older, 'v2'), other);

  const result = await dismiss();

  expect(result.exitCode).toBe(exitCodes.done);
  expect(await ledger.read(older.pk)).toMatchObject({
    resolutions: [{ decision: 'dismiss', by: 'grace', reason: 'a newer version took its place' }],
  });
  expect((await ledger.listOpen('PARKED')).items.map(({ pk }) => pk)).toEqual([other.pk]);
  expect(sent).toEqual([]);
});

test('a version whose dataset was made before of the same bytes takes the place too', async () => {
  const outcome = { kind: 'skipped', reason: 'DUPLICATE_CONTENT', at: now.toISOString() } as const;
  const { ledger, dismiss } = await stageWith(older, versionOf(older, 'v2', { state: 'SKIPPED', outcome }));

  await dismiss();

  expect((await ledger.listOpen('PARKED')).items).toEqual([]);
});

// An upload of which a request left may be at the gateway all the same.
test.each([
  ['the newer version is parked too', older, { ...parkedUpload({ reason: 'CHECK_FAILED' }) }],
  ['it may have made a dataset', parkedUpload({ reason: 'POST_OUTCOME_UNKNOWN' }), {}],
  [
    'an earlier request of it was in doubt',
    parkedUpload({
      reason: 'CHECK_FAILED',
      sentAt: now.toISOString(),
      resolutions: [{ decision: 'repeat', by: 'kim', reason: 'looked', at: now.toISOString() }],
    }),
    {},
  ],
])(
  'leaves an upload if %s',
  async (_what, row, { state, outcome, datasetId, openState, openSince }: Partial<UploadRow>) => {
    const fields = state === undefined ? {} : { state, outcome, datasetId, openState, openSince };
    const { ledger, dismiss } = await stageWith(row, versionOf(row, 'v2', fields));

    await dismiss();

    expect(await ledger.read(row.pk)).toMatchObject({ openState: 'PARKED' });
  },
);

test('an older version takes no place', async () => {
  const { ledger, dismiss } = await stageWith(versionOf(older, 'v1'), {
    ...older,
    pk: ledgerKeys.upload('bucket', older.key, 'v3'),
    versionId: 'v3',
  });

  await dismiss();

  expect((await ledger.listOpen('PARKED')).items).toHaveLength(1);
});

test.each([
  ['with another decision', ['resolve', '--repeat', '--superseded', '--reason', 'x']],
  ['with an id', ['resolve', older.pk, '--dismiss', '--superseded']],
])('is refused %s', async (_what, words) => {
  const { deps } = fakeDeps({ versions });

  await expect(command.run(argumentsOf(command, ...words), deps)).rejects.toThrow('--superseded is about --dismiss');
});
