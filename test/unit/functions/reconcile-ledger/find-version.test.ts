import { expect, test } from 'vitest';
import { findVersion } from '#functions/reconcile-ledger/silent-uploads.ts';
import { createReconcileBench } from './reconcile-bench.ts';

test('finds one version of one key over the pages of a listing, and asks for no more pages than the key has', async () => {
  const bench = createReconcileBench();
  bench.state.pageSize = 2;
  for (let version = 0; version < 5; version += 1) bench.put('datasets/a.csv');
  for (let other = 0; other < 50; other += 1) bench.put(`datasets/a.csv.${other}`);
  const [first] = bench.bucket;
  let pages = 0;
  const versions: typeof bench.versions = {
    list: (page) => {
      pages += 1;
      return bench.versions.list(page);
    },
  };

  const found = await findVersion(versions, 'datasets/a.csv', first?.versionId ?? '');
  const gone = await findVersion(versions, 'datasets/a.csv', 'gone');

  expect(found).toEqual(first);
  expect(gone).toBeUndefined();
  expect(pages).toBeLessThanOrEqual(6);
});
