import { describe, expect, onTestFinished, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { startDynamoDb } from '../../contract/ledger/test-dynamodb.ts';
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

test('[F14] whichever answer of DynamoDB is lost, the upload is registered once and its claim is not taken for lost', async () => {
  const dynamoDb = await startDynamoDb();
  onTestFinished(dynamoDb.close);
  const { ledger } = dynamoDb;
  let writesOfOne = 0;

  for (let lost = 1; lost === 1 || lost <= writesOfOne; lost += 1) {
    const bench = createUploadBench();
    const file = {
      key: `datasets/pii/${lost}.csv`,
      versionId: 'v1',
      body: `prompt,label\nrule ${lost},true\nok,false\n`,
    };
    let writes = 0;
    let repeats = 0;
    bench.deps.ledger = {
      ...ledger,
      async write(before, after) {
        writes += 1;
        if (writes !== lost) return ledger.write(before, after);
        dynamoDb.dropNextAnswerTo('PutItem');
        const written = await ledger.write(before, after);
        repeats = dynamoDb.requestsTo('PutItem');
        return written;
      },
    };

    const result = await bench.deliver(bench.put(file));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(repeats).toBeGreaterThan(1);
    expect(bench.posts).toHaveLength(1);
    const row = await ledger.read<UploadRow>(ledgerKeys.upload('uploads', file.key, 'v1'));
    expect(row).toMatchObject({ state: 'APPLIED', attempts: 1, crashes: 0 });
    writesOfOne = writes;
  }

  expect(writesOfOne).toBe(3); // reservation, mark, outcome
});
