import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BenchObject, createUploadBench, eventOf } from '../../unit/functions/register-datasets/upload-bench.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

const key = 'datasets/pii/names.csv';

/** The event of an object with some of its record written over. */
function eventWith(object: BenchObject, change: (record: EventRecord) => void): string {
  const event: { readonly Records: readonly EventRecord[] } = JSON.parse(eventOf(object));
  for (const record of event.Records) change(record);
  return JSON.stringify(event);
}

interface EventRecord {
  eventName: string;
  eventSource: string;
  eventTime: string;
  readonly s3: {
    readonly object: { versionId?: string; sequencer: string; key: string };
    readonly bucket: { name: string };
  };
}

describe('[D4] two events of one object version are one dataset', () => {
  test('also if the second says how it was put together, later and under another sequencer', async () => {
    const bench = createUploadBench();
    const put = bench.put({ key, versionId: 'v1' });
    const completed = eventWith({ key, versionId: 'v1' }, (record) => {
      record.eventName = 'ObjectCreated:CompleteMultipartUpload';
      record.eventTime = '2026-11-20T09:59:59.000Z';
      record.s3.object.sequencer = '0FFF';
    });

    const results = [await bench.deliver(completed), await bench.deliver(put), await bench.deliver(completed)];

    expect(results.flatMap(({ outcomes = [] }) => outcomes.map(({ kind }) => kind))).toEqual(['applied']);
    expect(bench.posts).toHaveLength(1);
  });

  test.each([undefined, 'null'])('also if the bucket keeps no versions (versionId %s)', async (versionId) => {
    const bench = createUploadBench();
    bench.put({ key, versionId: '' });
    const [first, second] = ['01', '02'].map((sequencer) =>
      eventWith({ key, versionId: '' }, (record) => {
        if (versionId === undefined) delete record.s3.object.versionId;
        else record.s3.object.versionId = versionId;
        record.s3.object.sequencer = sequencer;
      }),
    );

    await bench.deliver(first ?? '');
    await bench.deliver(first ?? '');
    await bench.deliver(second ?? '');

    expect(bench.posts).toHaveLength(1);
  });
});

test('[D5 C3] versions of one key in any order, however often: one dataset for each content, an end for each version', async () => {
  const history = fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }).chain((contents) =>
    fc.record({
      contents: fc.constant(contents),
      order: fc.array(fc.nat(contents.length - 1), { maxLength: 12 }),
    }),
  );

  await fc.assert(
    fc.asyncProperty(history, async ({ contents, order }) => {
      const bench = createUploadBench();
      const versions = contents.map((content, index) => ({
        key,
        versionId: `v${index}`,
        body: `prompt,label\nrule ${content},true\nwhat?,false\n`,
      }));
      const bodies = versions.map((version) => bench.put(version));

      for (const index of [...order, ...versions.keys(), ...order]) {
        await bench.deliver(bodies[index] ?? '');
        bench.pass(60_000);
      }

      const ends = await Promise.all(versions.map((version) => bench.row(version)));
      const made = ends.filter((row) => row?.state === 'APPLIED').length;
      expect(made).toBe(new Set(contents).size);
      expect(bench.posts).toHaveLength(made);
      expect(ends.filter((row) => row?.outcome?.reason === 'DUPLICATE_CONTENT')).toHaveLength(versions.length - made);
    }),
    propertyRuns(60),
  );
});
