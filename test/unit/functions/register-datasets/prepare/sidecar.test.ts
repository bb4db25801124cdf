import { describe, expect, it } from 'vitest';
import { createUploadBench, goodCsv, piiRule, type UploadBench } from '../upload-bench.ts';

const rule = { ...piiRule, sidecar: { within: 'PT15M' } };
const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };
const minuteMs = 60_000;

function sidecarOf(fields: unknown, versionId = 's1') {
  return { key: `${upload.key}.dataset.json`, versionId, body: JSON.stringify(fields) };
}

/**
 * Delivers as the queue does, at the time that the answer before asked for, until the message is
 * acknowledged.
 */
async function deliverUntilDone(bench: UploadBench, body: string) {
  for (let delivery = 1; delivery < 100; delivery += 1) {
    const result = await bench.deliver(body, { receiveCount: delivery });
    if (result.kind === 'done') return { result, deliveries: delivery };
    bench.pass(result.delayMs);
  }
  throw new Error('never acknowledged');
}

describe('an upload whose rule requires a sidecar', () => {
  it('is made of what its metadata, its sidecar and its rule say, in this order', async () => {
    const bench = createUploadBench({ rules: [rule] });
    bench.put(sidecarOf({ fileId: 'from-sidecar', name: 'described', scannerPackageId: 'package-1' }));

    await bench.deliver(bench.put({ ...upload, metadata: { 'file-id': 'from-metadata' } }));

    expect(bench.posts).toMatchObject([
      { fileId: 'from-metadata', name: 'described', scannerPackageId: 'package-1', scannerId: 'scanner-1' },
    ]);
  });

  it.each([
    ['is not there', undefined],
    ['is wrong', '{'],
  ])('is parked OBJECT_GONE if it was deleted and its sidecar %s', async (_what, body) => {
    const bench = createUploadBench({ rules: [rule] });
    const message = bench.put(upload);
    bench.objects.clear();
    if (body !== undefined) bench.put({ ...sidecarOf({}), body });

    const result = await bench.deliver(message);

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'OBJECT_GONE' }] });
    expect([bench.reads.at(-1), bench.state.open]).toEqual([`HEAD ${upload.key}`, 0]);
  });

  it('waits for it in the queue, without a request, and is registered once it is there', async () => {
    const bench = createUploadBench({ rules: [rule] });
    const body = bench.put(upload);

    const first = await bench.deliver(body);
    bench.pass(10 * minuteMs);
    const second = await bench.deliver(body);
    bench.put(sidecarOf({ name: 'described' }));
    bench.pass(2 * minuteMs + 30_000);
    const third = await bench.deliver(body);

    expect([first, second]).toMatchObject([
      { kind: 'later', delayMs: 5_000, why: `waits for ${upload.key}.dataset.json` },
      { kind: 'later', delayMs: 150_000 },
    ]);
    expect(third).toMatchObject({ kind: 'done', outcomes: [{ kind: 'applied' }] });
    expect(bench.posts).toMatchObject([{ fileId: 'names', name: 'described' }]);
    expect(await bench.row(upload)).toMatchObject({ state: 'APPLIED', attempts: 3, crashes: 0 });
  });

  it('[D11] is parked SIDECAR_MISSING when none came in its time, counted from when it was first seen', async () => {
    const bench = createUploadBench({ rules: [rule] });
    const body = bench.put(upload);
    const startMs = bench.state.nowMs;

    const { result, deliveries } = await deliverUntilDone(bench, body);

    expect(bench.state.nowMs - startMs).toBe(15 * minuteMs);
    expect(deliveries).toBeLessThan(25);
    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'SIDECAR_MISSING' }] });
    expect(await bench.row(upload)).toMatchObject({ state: 'PARKED', parked: { message: body, queue: 'uploads' } });
    expect(bench.events).toMatchObject([{ type: 'WorkParked', detail: { reason: 'SIDECAR_MISSING' } }]);
    expect([bench.posts, bench.reads.includes(`GET ${upload.key}`)]).toEqual([[], false]);
  });

  it.each([
    ['{', 'it is not JSON in UTF-8'],
    ['{"name":"","scannerVersions":[""],"fileID":"x"}', 'name is empty; scannerVersions[0] is empty; "fileID" is no'],
    ['{"fileID":"x"}', '(known: fileId, name, scannerId, scannerPackageId, scannerVersions)'],
    ['{"fileId":7,"scannerVersions":7}', 'fileId is no text; scannerVersions is neither a text nor a list'],
    ['[]', 'it is no JSON object'],
    ['x'.repeat(16_385), 'has 16385 bytes, a sidecar has at most 16384'],
  ])('is parked BAD_SIDECAR with everything that is wrong with it (%#)', async (text, detail) => {
    const bench = createUploadBench({ rules: [rule] });
    bench.put({ ...sidecarOf({}), body: text });

    const result = await bench.deliver(bench.put(upload));

    expect(result).toMatchObject({
      outcomes: [{ kind: 'parked', reason: 'BAD_SIDECAR', detail: expect.stringContaining(detail) }],
    });
    expect(bench.posts).toEqual([]);
  });
});

describe('a sidecar', () => {
  it('is itself no upload, whatever the rule: ignored, and never sent', async () => {
    for (const rules of [[rule], [piiRule]]) {
      const bench = createUploadBench({ rules });
      const sidecar = sidecarOf({ name: 'described' });

      const result = await bench.deliver(bench.put(sidecar));

      expect(result).toMatchObject({
        outcomes: [{ kind: 'ignored', detail: `the sidecar of ${upload.key}` }],
      });
      expect([await bench.row(sidecar), bench.posts, bench.reads]).toMatchObject([{ state: 'IGNORED' }, [], []]);
    }
  });

  it('belongs to a file: a key that is nothing but the ending is an upload like any other', async () => {
    const bench = createUploadBench();

    await bench.deliver(bench.put({ key: 'datasets/pii/.dataset.json', versionId: 'v1', body: goodCsv }));

    expect(bench.posts).toHaveLength(1);
  });
});
