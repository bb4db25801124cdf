/**
 * Uploads that waited for the gate had no row: status showed the depth of the queue, and not which
 * files.
 */
import { describe, expect, test } from 'vitest';
import { command } from '#cli/reports/status.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { argumentsOf, fakeDeps, type FakeStage, textOf } from '../../operator/fake-deps.ts';
import { gateRow, uploadRow } from '../../operator/parked-fixtures.ts';

function put(name: string, at: string): ListedVersion {
  return { key: `datasets/${name}.csv`, versionId: name, etag: 'e', sizeBytes: 9, lastModified: new Date(at) };
}

const waiting = put('waiting', '2026-11-20T19:30:00.000Z');
const done = put('done', '2026-11-20T19:20:00.000Z');
const old = put('old', '2026-10-01T10:00:00.000Z');

async function status(stage: FakeStage, gate: Partial<GateRow> = {}) {
  const { deps, ledger } = fakeDeps(stage);
  const outcome = { kind: 'applied', at: '2026-11-20T19:00:00.000Z' } as const;
  const { key, versionId } = done;
  for (const row of [gateRow(gate), uploadRow({ key, versionId, outcome })]) await ledger.write(undefined, row);
  return command.run(argumentsOf(command), deps);
}

const bucket = [done, old, waiting];
const depths = { uploads: 1 };

describe('uploads behind a gate that is not open', () => {
  test('are pending, each with its key, since when, why, and when the gate is tried next', async () => {
    const result = await status({ bucket, depths });

    const waitsFor = 'the gateway connection is down: POST was answered 503: down';
    const since = waiting.lastModified.toISOString();
    expect(result.data).toMatchObject({
      pending: [
        { id: waiting.key, versionId: 'waiting', since, tries: 0, waitsFor, nextTryAt: gateRow().closed?.probeAt },
      ],
    });
    expect(textOf(result)).toContain(`Retrying (1)\n  ${waiting.key}`);
    expect(textOf(result)).toContain(`next try ${gateRow().closed?.probeAt}  ${waitsFor}`);
  });

  test('are not looked for while the gate is open, or while no message waits', async () => {
    const unlisted = Object.defineProperty({ bucket, depths }, 'bucket', {
      get: () => {
        throw new Error('the bucket was listed');
      },
    });

    expect((await status(unlisted, { closed: undefined })).data).toMatchObject({ pending: [] });
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
