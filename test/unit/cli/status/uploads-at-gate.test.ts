/**
 * Uploads that waited for the gate had no row: status showed the depth of the queue, and not which
 * files.
 */
import { describe, expect, test } from 'vitest';
import { command } from '#cli/status/status.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { argumentsOf, fakeDeps, type FakeStage, textOf } from '../../operator/fake-deps.ts';

const probeAt = '2026-11-20T20:01:00.000Z';
const closed = { since: '2026-11-20T19:00:00.000Z', reason: 'POST was answered 503' };

function put(name: string, at: string): ListedVersion {
  return { key: `datasets/${name}.csv`, versionId: name, etag: 'e', sizeBytes: 9, lastModified: new Date(at) };
}

const waiting = put('waiting', '2026-11-20T19:30:00.000Z');
const done = put('done', '2026-11-20T19:20:00.000Z');
const old = put('old', '2026-10-01T10:00:00.000Z');

async function status(stage: FakeStage, gate: Partial<GateRow> = { closed: { probeAt, failedProbes: 1 } }) {
  const { deps, ledger } = fakeDeps(stage);
  await ledger.write<GateRow>(undefined, { pk: ledgerKeys.gate(), kind: 'gate', ...closed, ...gate });
  const pk = ledgerKeys.upload('bucket', done.key, done.versionId);
  const row = { pk, kind: 'upload', state: 'APPLIED', bucket: 'bucket', key: done.key, versionId: 'done' } as const;
  const outcome = { kind: 'applied', at: closed.since } as const;
  await ledger.write<UploadRow>(undefined, { ...row, eventTime: closed.since, attempts: 1, crashes: 0, outcome });
  return command.run(argumentsOf(command), deps);
}

const bucket = [done, old, waiting];
const depths = { uploads: 1 };

describe('uploads behind a gate that is not open', () => {
  test('are pending, each with its key, since when, why, and when the gate is tried next', async () => {
    const result = await status({ bucket, depths });

    const waitsFor = 'the gateway connection is down: POST was answered 503';
    const since = waiting.lastModified.toISOString();
    expect(result.data).toMatchObject({
      pending: [{ id: waiting.key, versionId: 'waiting', since, tries: 0, waitsFor, nextTryAt: probeAt }],
    });
    expect(textOf(result)).toContain(`Retrying (1)\n  ${waiting.key}`);
    expect(textOf(result)).toContain(`next try ${probeAt}  ${waitsFor}`);
  });

  test('are not looked for while the gate is open, or while no message waits', async () => {
    const unlisted = Object.defineProperty({ bucket, depths }, 'bucket', {
      get: () => {
        throw new Error('the bucket was listed');
      },
    });

    expect((await status(unlisted, { closed: undefined, pausedUntil: undefined })).data).toMatchObject({ pending: [] });
    expect((await status({ bucket })).data).toMatchObject({ pending: [] });
  });

  test('are left out if the bucket may not be listed: the depth of the queue is there', async () => {
    const denied = Object.defineProperty({ bucket, depths }, 'bucket', {
      get: () => {
        throw new Error('denied');
      },
    });

    expect((await status(denied)).data).toMatchObject({ pending: [] });
  });
});
