import { describe, expect, it } from 'vitest';
import { createUploadBench, fileRule, goodCsv, piiRule, posted } from './upload-bench.ts';

const upload = { key: 'datasets/pii/First "names".csv', versionId: 'v1' };

describe('register-datasets, of a rule that sends the file', () => {
  it('posts fields and bytes as one form, once: outcome, row and event agree', async () => {
    const rule = { ...fileRule, scannerVersions: ['2026-02', '2026-03'] };
    const bench = createUploadBench({ rules: [rule] });

    const result = await bench.deliver(bench.put(upload));
    await bench.deliver(bench.put(upload));

    expect(await posted(bench)).toEqual({
      fields: [
        ['name', 'First "names"'],
        ['scannerId', 'scanner-1'],
        ['scannerVersions', '2026-02'],
        ['scannerVersions', '2026-03'],
      ],
      file: { name: 'First "names".csv', text: goodCsv },
    });
    expect(bench.posts).toHaveLength(1);
    expect(bench.posts[0]).not.toHaveProperty('fileId');
    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'applied' }] });
    expect(await bench.row(upload)).toMatchObject({
      state: 'APPLIED',
      datasetId: 'dataset-1',
      checked: { rows: 2, blocking: 1, repeated: 0 },
    });
    expect(new Set(bench.events.map(({ type }) => type))).toEqual(new Set(['DatasetRegistered']));
  });

  it('sends a file that no check looks at, byte by byte, under the last part of its key', async () => {
    const bench = createUploadBench({ rules: [{ ...fileRule, check: 'none' }] });
    const odd = { key: 'datasets/pii/folder/odd//', versionId: 'v1', body: 'any\r\n"bytes"\u0000' };

    await bench.deliver(bench.put(odd));

    expect((await posted(bench)).file).toEqual({ name: 'odd', text: odd.body });
  });

  // What follows SENDING may leave an unknown: nothing is read or made there.
  it('has the whole body before its row says SENDING', async () => {
    const bench = createUploadBench({ rules: [fileRule] });
    const order: string[] = [];
    bench.faults.stream = async function* (pieces) {
      yield* pieces;
      order.push('read');
    };
    bench.faults.write = async ({ kind, state = '' }) => void order.push(`${kind} ${state}`.trim());

    await bench.deliver(bench.put(upload));

    expect(order.slice(0, 3)).toEqual(['read', 'dataset', 'upload SENDING']);
  });

  it.each([
    ['with an error', new Error('the connection was cut'), { ...fileRule, check: 'none' as const }],
    ['without one', undefined, { ...fileRule, check: 'none' as const }],
    ['while it is checked alone', new Error('the connection was cut'), piiRule],
  ])(
    'goes back to the queue when its file breaks off half way, %s, and nothing was sent',
    async (_how, error, rule) => {
      const bench = createUploadBench({ rules: [rule] });
      const body = bench.put(upload);
      bench.faults.stream = async function* (pieces) {
        for await (const piece of pieces) {
          yield piece.subarray(1);
          if (error !== undefined) throw error;
        }
      };

      const result = await bench.deliver(body);

      expect([result.kind, bench.posts, (await bench.row(upload))?.state]).toEqual(['later', [], 'READY']);
    },
  );

  it.each([
    ['OBJECT_TOO_LARGE', 'the rule for datasets/pii/ takes 20', {}, { maxBytes: 20 }],
    ['CHECK_FAILED', 'prompt-label-csv: row 2', { body: 'prompt,label\na,maybe\n' }, { maxBytes: 100 }],
    ['CHECK_FAILED', 'sets fileId, which the rule', { metadata: { 'file-id': 'f-1' } }, { maxBytes: 100 }],
  ])('parks %s (%s) before anything is sent', async (reason, detail, object, file) => {
    const bench = createUploadBench({ rules: [{ ...fileRule, file }] });

    await bench.deliver(bench.put({ ...upload, ...object }));

    expect(await bench.row(upload)).toMatchObject({
      state: 'PARKED',
      outcome: { reason, detail: expect.stringContaining(detail) },
    });
    expect(bench.posts).toEqual([]);
  });

  it('says what it would have sent if the stage only observes', async () => {
    const bench = createUploadBench({ rules: [{ ...fileRule, check: 'none' }] });
    bench.deps.config = { ...bench.deps.config, mode: 'observe' };

    await bench.deliver(bench.put(upload));

    expect(bench.posts).toEqual([]);
    expect((await bench.row(upload))?.outcome?.detail).toBe(
      'would have sent: POST /backend/v1/datasets {"name":"First \\"names\\"","scannerId":"scanner-1"} with the file itself',
    );
  });
});
