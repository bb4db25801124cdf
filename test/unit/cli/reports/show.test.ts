import { describe, expect, it } from 'vitest';
import { command } from '#cli/reports/show.ts';
import { handleOf } from '#operator/handles.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { commandRow, idRow, runCommand } from '../../../builders/run-rows.ts';
import { gateRow, uploadRow } from '../../operator/parked-fixtures.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';

const key = 'datasets/pii/names.csv';
const at = '2026-11-20T19:00:05.000Z';

function upload(versionId: string, more: Partial<UploadRow> = {}): UploadRow {
  const outcome = { kind: 'applied', detail: 'dataset d-1', at } as const;
  return uploadRow({
    key,
    versionId,
    eventTime: '2026-11-20T19:00:00.000Z',
    ruleName: 'datasets/pii/',
    outcome,
    ...more,
  });
}

async function stageWith(versionIds: readonly string[], ...rows: readonly LedgerRow[]) {
  const versions = versionIds.map((versionId) => ({ versionId, lastModified: new Date('2026-11-20T19:00:00Z') }));
  const { deps } = fakeDeps({ versions, rows });
  return async (...argv: readonly string[]) => command.run(argumentsOf(command, ...argv), deps);
}

describe('autopilot show KEY', () => {
  // "under way", and "it waits in its queue", without since when, why and until when.
  it('tells what an upload waits for: the answer to its request, or the gate', async () => {
    const sent = upload('v1', {
      state: 'SENDING',
      openState: 'IN_FLIGHT',
      openSince: at,
      sentAt: at,
      outcome: undefined,
    });
    const probeAt = '2026-11-20T20:05:00.000Z';
    const show = await stageWith(['v2', 'v1'], sent, gateRow());

    const text = textOf(await show(key));

    expect(text).toContain(
      'pending    since 2026-11-20T19:00:00.000Z, not tried yet\n  waits for  the gateway connection is down: POST was answered 503: down',
    );
    expect(text).toContain(`next try   ${probeAt}`);
    expect(text).toContain(`waits for  the answer to its request, which left at ${at}`);
    expect(text).not.toContain('it waits in its queue');
  });

  it('tells every version, the newest first: dataset, when, rule, what the check found', async () => {
    const checked = { rows: 120, blocking: 40, repeated: 3 };
    const applied = upload('v2', { datasetId: 'd-2', datasetName: 'names', checked });
    const failed = upload('v1', {
      state: 'PARKED',
      openState: 'PARKED',
      openSince: at,
      outcome: { kind: 'parked', reason: 'CHECK_FAILED', detail: 'prompt-label-csv: row 3 …', at },
    });
    const show = await stageWith(['v2', 'v1'], applied, failed);

    const result = await show(key);

    expect(result.data).toMatchObject({
      key,
      versions: [
        { versionId: 'v2', state: 'applied', datasetId: 'd-2', at, rule: 'datasets/pii/', checked, isObserved: false },
        { versionId: 'v1', state: 'parked', reason: 'CHECK_FAILED', parkedId: handleOf(failed.pk) },
      ],
    });
    expect(textOf(result).split('\n')).toEqual([
      `${key}  2 versions`,
      '',
      'v2  applied',
      '  uploaded  2026-11-20T19:00:00.000Z',
      '  dataset   d-2 (names)',
      '  result    dataset d-1',
      `  when      ${at}`,
      '  rule      datasets/pii/',
      '  file      120 rows, 3 of them with a prompt of an earlier line: 40 true, 80 false',
      '',
      'v1  parked CHECK_FAILED',
      '  uploaded  2026-11-20T19:00:00.000Z',
      '  result    prompt-label-csv: row 3 …',
      `  when      ${at}`,
      '  rule      datasets/pii/',
      `  parked    npx --no -- autopilot parked show ${handleOf(failed.pk)}`,
    ]);
  });

  it.each([`s3://bucket/${key}`, handleOf(upload('v1').pk)])('finds it by %s too', async (word) => {
    const parked = { openState: 'PARKED', openSince: at } as const;
    const show = await stageWith(['v1'], upload('v1', parked));

    expect((await show(word)).data).toMatchObject({ key, versions: [{ versionId: 'v1' }] });
  });

  // It showed the object of this stage under the address of another bucket, exit 0.
  it.each([`s3://foo/${key}`, 's3://foo/other/names.csv'])('refuses %s, which another bucket has', async (word) => {
    const show = await stageWith(['v1'], upload('v1'));

    await expect(show(word)).rejects.toThrow(`"${word}" is in the bucket foo, and the bucket of this stage is bucket`);
  });

  it('tells of a version that no worker has seen yet, and of one that is under way', async () => {
    const { outcome: _outcome, ...waiting } = upload('v1', { state: 'READY', lastError: 'waits for its sidecar' });
    const show = await stageWith(['v2', 'v1'], waiting);

    const result = await show(key);

    expect(result.data).toMatchObject({
      versions: [{ state: 'not seen yet' }, { state: 'under way', pending: { lastError: 'waits for its sidecar' } }],
    });
    expect(textOf(result)).toContain('it waits in its queue');
    expect(textOf(result)).toMatch(/last error +waits for its sidecar/);
  });

  it('tells who decided', async () => {
    const decision = { decision: 'applied', by: 'ann', reason: 'found it', at, datasetId: 'd-1' } as const;
    const show = await stageWith(['v1'], upload('v1', { datasetId: 'd-1', resolutions: [decision] }));

    expect(textOf(await show(key))).toContain(`decided   applied d-1 by ann at ${at}: found it`);
  });

  it('finds by its dataset the upload that it was made of, and not the duplicate that names it too', async () => {
    const skipped = { state: 'SKIPPED', outcome: { kind: 'skipped', reason: 'DUPLICATE_CONTENT', at } } as const;
    const duplicate = { ...upload('v0', { datasetId: 'd-1', ...skipped }), key: 'datasets/pii/copy.csv' };
    const show = await stageWith(['v1'], duplicate, upload('v1', { datasetId: 'd-1' }));

    expect((await show('d-1')).data).toMatchObject({ key, versions: [{ versionId: 'v1', datasetId: 'd-1' }] });
  });

  it('keeps a version that is gone from the bucket, if its dataset names it', async () => {
    const show = await stageWith([], upload('v1', { datasetId: 'd-1' }));

    const result = await show('d-1');

    expect(result.data).toMatchObject({ versions: [{ versionId: 'v1', datasetId: 'd-1' }] });
    expect(textOf(result)).toContain('the version is gone from the bucket');
  });
});

describe('autopilot show COMMAND-ID', () => {
  const id = 'weeknights@2026-11-20T21:45:00Z';
  const row: CommandRow = commandRow(runCommand({ id, issuedAt: '2026-11-20T21:45:00Z' }), { openState: undefined });

  it('tells how it ended, and which guards said no', async () => {
    const verdicts = [{ guard: 'overlap', verdict: 'skip', detail: 'a run is in flight' }] as const;
    const show = await stageWith([], { ...row, verdicts, outcome: { kind: 'skipped', reason: 'OVERLAP', at } });

    const result = await show(id);

    expect(result.data).toMatchObject({ command: { id, outcome: 'skipped', reason: 'OVERLAP' } });
    expect(textOf(result)).toContain('overlap: skip, a run is in flight');
  });

  it('tells one that has not ended as what it is', async () => {
    const show = await stageWith([], row);

    const result = await show(id);

    expect(result.data).toMatchObject({ command: { outcome: 'under way' } });
    expect(textOf(result)).toBe(`${id}: under way, requested by schedule weeknights at 2026-11-20T21:45:00.000Z`);
  });

  it('says of one that waits since when, how often it was tried, why, and when it is tried again', async () => {
    const attempt = {
      crashes: 0,
      since: at,
      tries: 2,
      waitsFor: 'the gateway, whose connection was down at the last try',
      lastError: 'PATCH was answered 503: down for the night',
      nextTryAt: '2026-11-20T21:50:00.000Z',
    };
    const show = await stageWith([], { ...row, attempt, openState: 'PENDING', openSince: at });

    const result = await show(id);

    const { waitsFor, lastError, nextTryAt } = attempt;
    expect(result.data).toMatchObject({
      command: { outcome: 'under way', pending: { since: at, tries: 2, waitsFor, lastError, nextTryAt } },
    });
    expect(textOf(result).split('\n')).toEqual([
      `${id}: under way, requested by schedule weeknights at 2026-11-20T21:45:00.000Z`,
      `  pending     since ${at}, 2 tries`,
      `  waits for   ${waitsFor}`,
      `  last error  ${lastError}`,
      `  next try    ${nextTryAt}`,
    ]);
  });
});

describe('autopilot show', () => {
  it.each([
    // "ValidationException … Key: pk", exit 1.
    [[''], 'an empty word names nothing'],
    [['x'.repeat(3000)], 'has 3000 bytes: no key and no id is so long'],
    [['nonsense'], '"nonsense" is no object\'s key, no dataset and no command of the stage "local"'],
    [['datasets/none.csv'], 'nothing is at "datasets/none.csv"'],
  ])('%j is refused', async (argv, problem) => {
    const show = await stageWith([]);

    await expect(show(...argv)).rejects.toThrow(problem);
  });

  it('the name of a run is answered with the command that lists its work', async () => {
    const payload = JSON.stringify({ runs: { nightly: { campaignRunIds: [] } } });
    const { deps } = fakeDeps({ functionAnswer: { payload } });
    const show = async (word: string) => command.run(argumentsOf(command, word), deps);

    await expect(show('nightly')).rejects.toThrow(/"nightly" is a run, .*: autopilot history nightly$/);
    await expect(show('nightl')).rejects.toThrow(/"nightl" is no object's key/);
  });

  // It was "no command that the stage knows", though the ledger has the run.
  it('the uuid of a run that the ledger knows is answered with the same command', async () => {
    const { deps, ledger } = fakeDeps({});
    const [known, other] = ['0197f3a0-5b1c-7d2e-8f30-112233445566', '0197f3a0-5b1c-7d2e-8f30-000000000000'];
    await ledger.write(undefined, idRow({ campaignRunId: known }));
    const show = async (word: string) => command.run(argumentsOf(command, word), deps);

    await expect(show(known.toUpperCase())).rejects.toThrow(/ is a run, .*: autopilot history \S+$/);
    await expect(show(other)).rejects.toThrow(/is no object's key/);
  });
});
