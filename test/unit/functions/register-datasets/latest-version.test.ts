import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUploadBench, piiRule } from './upload-bench.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const key = 'datasets/pii/names.csv';
const rules = [{ ...piiRule, versions: 'latest' as const }];

function version(number: number) {
  return { key, versionId: `v${number}`, body: `prompt,label\nrule ${number},true\nwhat?,false\n` };
}

describe('of a key whose rule takes the latest version only', () => {
  it('[D5] the newest that is there is registered, whatever the order of events, and the others are skipped', async () => {
    const orders = fc
      .integer({ min: 1, max: 5 })
      .chain((count) => fc.tuple(fc.constant(count), fc.array(fc.nat(count - 1), { maxLength: 10 })));
    await fc.assert(
      fc.asyncProperty(orders, async ([count, order]) => {
        const bench = createUploadBench({ rules });
        const versions = Array.from({ length: count }, (_, number) => version(number));
        const bodies = versions.map((one) => bench.put(one));

        for (const index of [...order, ...versions.keys()]) await bench.deliver(bodies[index] ?? '');

        const ends = await Promise.all(versions.map(async (one) => (await bench.row(one))?.outcome));
        expect(ends.pop()).toMatchObject({ kind: 'applied' });
        for (const end of ends) expect(end).toMatchObject({ kind: 'skipped', reason: 'SUPERSEDED_VERSION' });
        expect(bench.posts).toHaveLength(1);
      }),
      propertyRuns(60),
    );
  });

  it('a version that was registered while it was the newest stays registered, and the next one is too', async () => {
    const bench = createUploadBench({ rules });

    await bench.deliver(bench.put(version(1)));
    await bench.deliver(bench.put(version(2)));

    expect(bench.posts).toHaveLength(2);
    expect(await bench.row(version(1))).toMatchObject({ state: 'APPLIED' });
  });

  it('the outcome of an older one names the newer, and nothing of it is read', async () => {
    const bench = createUploadBench({ rules });
    const body = bench.put({ ...version(1), body: 'a file that would fail its check' });
    bench.put(version(2));

    const result = await bench.deliver(body);

    expect(result).toMatchObject({
      outcomes: [{ kind: 'skipped', reason: 'SUPERSEDED_VERSION', detail: 'version v2 is the newest of the key' }],
    });
    expect(await bench.row(version(1))).toMatchObject({ state: 'SKIPPED' });
    expect([bench.reads, bench.events, bench.commands]).toEqual([[`HEAD ${key}`], [], []]);
  });

  it('a version whose key was deleted since is skipped: nothing of the key is there', async () => {
    const bench = createUploadBench({ rules });
    const body = bench.put(version(1));
    bench.objects.clear();

    expect(await bench.deliver(body)).toMatchObject({
      outcomes: [{ reason: 'SUPERSEDED_VERSION', detail: 'the key was deleted after this version' }],
    });
  });
});

describe('of a key whose rule takes every version', () => {
  it('[D5] each is registered, and which is the newest is not asked', async () => {
    const bench = createUploadBench();
    const bodies = [1, 2].map((number) => bench.put(version(number)));

    for (const body of bodies) await bench.deliver(body);

    expect(bench.posts).toHaveLength(2);
    expect(bench.reads).toEqual([`GET ${key}`, `GET ${key}`]);
  });
});
