/**
 * A worker hangs after its request for so long that others park the upload, a person orders the
 * repeat, and the repeat is being sent. What the first worker then learns is about its own request,
 * and about no other.
 */
import { expect, it } from 'vitest';
import { BadStatusError, NotSentError } from '#shared/gateway-client/index.ts';
import { resolveRepeat } from '#shared/ledger/resolve-parked.ts';
import { createUploadBench, type UploadBench } from '../upload-bench.ts';

const upload = { key: 'datasets/pii/a.csv', versionId: 'v1' };

/**
 * While the first request hangs, another worker finds it unknown, and a person has it sent again.
 */
async function parkAndOrderRepeat(bench: UploadBench, body: string): Promise<void> {
  bench.pass(200_000);
  await bench.deliver(body);
  const row = await bench.row(upload);
  if (row === undefined) throw new Error('no row');
  const decision = { by: 'ada', reason: 'it is not there', at: new Date(bench.state.nowMs) };
  await bench.resolve(row, resolveRepeat(row, decision));
}

/**
 * The first request ends as `first` says, in the middle of the second; `during` sees what the first
 * one left behind.
 */
async function endFirstDuringSecond(
  first: () => { readonly id: string },
): Promise<{ readonly bench: UploadBench; readonly during: unknown }> {
  const bench = createUploadBench();
  const body = bench.put(upload);
  const firstMayEnd = Promise.withResolvers<void>();
  const firstIsOut = Promise.withResolvers<void>();
  bench.faults.gateway = async () => {
    firstIsOut.resolve();
    await firstMayEnd.promise;
    return first();
  };
  const firstDelivery = bench.deliver(body);
  await firstIsOut.promise;
  await parkAndOrderRepeat(bench, body);

  let during: unknown;
  bench.faults.gateway = async () => {
    firstMayEnd.resolve();
    await firstDelivery;
    during = await bench.row(upload);
    return { id: 'second' };
  };
  await bench.deliver(body);
  return { bench, during };
}

it('an id that comes late does not end a row that is being sent again', async () => {
  const { bench, during } = await endFirstDuringSecond(() => ({ id: 'first' }));

  expect(during).toMatchObject({ state: 'SENDING' });
  expect(await bench.row(upload)).toMatchObject({ state: 'APPLIED', datasetId: 'second' });
});

it.each([
  [
    'was refused',
    new BadStatusError('POST', { status: 422, details: { text: 'no', fields: [] }, namesResource: false }),
  ],
  ['never left', new NotSentError('POST')],
])(
  'a request of which it turns out late that it %s does not free a row that is being sent again',
  async (_how, error) => {
    const { bench, during } = await endFirstDuringSecond(() => {
      throw error;
    });

    expect(during).toMatchObject({ state: 'SENDING' });
    expect(await bench.row(upload)).toMatchObject({ state: 'APPLIED', datasetId: 'second' });
    expect(bench.posts).toHaveLength(2);
  },
);
