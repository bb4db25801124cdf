import { describe, expect, test } from 'vitest';
import { createUploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';

const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };

describe('DynamoDB that fails before SENDING', () => {
  test.each([
    ['the claim', { state: 'CLAIMED' }, 2],
    ['the reservation of the content', { kind: 'dataset' }, 1],
    ['the reservation of the content, in a second delivery', { kind: 'dataset' }, 2],
    ['the mark itself', { state: 'SENDING' }, 1],
    ['the mark itself, in a second delivery', { state: 'SENDING' }, 2],
  ])(
    '[F5] at %s keeps the request from being sent; the next delivery sends it once',
    async (_what, broken, receiveCount) => {
      const bench = createUploadBench();
      const body = bench.put(upload);
      bench.faults.write = async (item) => {
        if (
          Object.entries(broken).every(([name, value]) =>
            Object.entries(item).some(([n, v]) => n === name && v === value),
          )
        )
          throw new Error('ProvisionedThroughputExceededException');
      };

      const first = await bench.deliver(body, { receiveCount });
      expect([first.kind, bench.posts]).toEqual(['later', []]);
      bench.faults.write = async () => {};
      bench.pass(200_000);
      const second = await bench.deliver(body, { receiveCount: receiveCount + 1 });

      expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
      expect(bench.posts).toHaveLength(1);
    },
  );

  test('[F5] at the read of the row sends nothing', async () => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    const { ledger } = bench.deps;
    bench.deps.ledger = { ...ledger, read: async () => Promise.reject(new Error('InternalServerError')) };

    const first = await bench.deliver(body);

    expect([first.kind, bench.posts]).toEqual(['later', []]);
  });
});
