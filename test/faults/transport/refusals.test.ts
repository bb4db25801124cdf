import { describe, expect, it } from 'vitest';
import { piiRule, eventOf } from '../../unit/functions/register-datasets/upload-bench.ts';
import { answerWell, end, refuse } from '../bench/doings.ts';
import { pollsOf, runsTo, start, stop, upload, uploadsTo } from '../bench/workers.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
const minutes = (count: number) => count * 60_000;
const hours = (count: number) => minutes(60 * count);

describe('an upload that the gateway refuses', () => {
  it.each([400, 413, 415, 422])(
    '[A19] a %i parks an upload at once in the words of the gateway, and its neighbours are registered',
    async (status) => {
      const gateway = await startRawGateway();
      const words = `no such scanner\r\nlevel=error ${'x'.repeat(9000)}`;
      gateway.next(answerWell, refuse(status, { detail: [{ loc: ['body', 'scannerId'], msg: words }] }));
      const bench = uploadsTo(gateway);
      const three = ['a', 'b', 'c'].map((name) => ({ key: `datasets/pii/${name}.csv`, versionId: 'v1' }));
      for (const one of three) bench.put(one);

      const result = await bench.deliver(eventOf(...three));
      await bench.deliver(eventOf(...three));

      const rows = await Promise.all(three.map((one) => bench.row(one)));
      expect(result).toMatchObject({ kind: 'done' });
      expect(rows.map((row) => row?.state)).toEqual(['APPLIED', 'PARKED', 'APPLIED']);
      expect(rows[1]).toMatchObject({ outcome: { reason: 'VALIDATION' }, parked: { httpStatus: status } });
      const detail = rows[1]?.outcome?.detail ?? '';
      expect(detail).toContain(String.raw`body.scannerId: no such scanner\r\nlevel=error`);
      expect(detail).not.toMatch(/[\r\n]/);
      expect(Buffer.byteLength(detail)).toBeLessThanOrEqual(2048);
      expect(gateway.requests).toHaveLength(3);
    },
  );

  it('[A22] a 403 has an upload tried three times, with a delay between them, then parked', async () => {
    const gateway = await startRawGateway();
    gateway.always(refuse(403, { message: 'not for this scanner' }));
    const bench = uploadsTo(gateway);
    const body = bench.put(upload);

    const results = [];
    for (const receiveCount of [1, 2, 3, 4]) {
      results.push(await bench.deliver(body, { receiveCount }));
      bench.pass(hours(1));
    }

    expect(results.map(({ kind }) => kind)).toEqual(['later', 'later', 'done', 'done']);
    expect(results[2]).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'FORBIDDEN' }] });
    expect(gateway.requests).toHaveLength(3);
  });

  it('[A23] a 404 has an upload wait: it is the base URL that is wrong', async () => {
    const gateway = await startRawGateway();
    gateway.next(refuse(404));
    const bench = uploadsTo(gateway);
    const body = bench.put(upload);

    const first = await bench.deliver(body);
    bench.pass(hours(1));
    const second = await bench.deliver(body, { receiveCount: 2 });

    expect(first).toMatchObject({ kind: 'later' });
    expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect([...gateway.datasets.values()]).toEqual([1]);
  });

  it('[A25] a bare 409 parks an upload DUPLICATE_SUSPECTED, and it is never sent again', async () => {
    const gateway = await startRawGateway();
    gateway.always(refuse(409, { id: 'error-17', message: 'exists already' }));
    const bench = uploadsTo(gateway);
    const body = bench.put(upload);

    const result = await bench.deliver(body);
    await bench.deliver(body, { receiveCount: 2 });

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'DUPLICATE_SUSPECTED' }] });
    expect(gateway.requests).toHaveLength(1);
  });

  it.each([{ datasetId: 'ds-7' }, { dataset: { id: 'ds-7' } }])(
    '[A25] a 409 that names the dataset (%j) is taken for applied, under that id',
    async (body) => {
      const gateway = await startRawGateway();
      gateway.always(refuse(409, body));
      const bench = uploadsTo(gateway, { rules: [piiRule] });

      const result = await bench.deliver(bench.put(upload));

      expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
      expect(await bench.row(upload)).toMatchObject({ state: 'APPLIED', datasetId: 'ds-7' });
    },
  );
});

describe('a command that the gateway refuses', () => {
  it('[A23] a 404 of a run is tried for ten minutes, since it may be new, then parked RUN_NOT_FOUND', async () => {
    const gateway = await startRawGateway();
    gateway.always(refuse(404, { message: 'no such run' }));
    const bench = runsTo(gateway);

    const kinds = [];
    for (const _ of [0, 4, 8]) {
      kinds.push((await bench.deliver(start)).kind);
      bench.passMs(minutes(4));
    }
    const last = await bench.deliver(start);

    expect(kinds).toEqual(['later', 'later', 'later']);
    expect(last).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'RUN_NOT_FOUND' }] });
    expect(gateway.requests).toHaveLength(4);
  });

  it.each([
    [409, 'CONFLICT'],
    [422, 'VALIDATION'],
  ])('[A24] a %i of a run is parked with the text', async (status, reason) => {
    const gateway = await startRawGateway();
    gateway.always(refuse(status, { message: 'the run was archived' }));
    const bench = runsTo(gateway);

    const result = await bench.deliver(start);

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason }] });
    expect(await bench.command(start.id)).toMatchObject({
      outcome: { detail: expect.stringContaining('the run was archived') },
      parked: { httpStatus: status, requestSent: true },
    });
  });

  it.each([409, 422])(
    '[A24] a %i of a repeated start is taken for applied if the configuration knows that text',
    async (status) => {
      const gateway = await startRawGateway();
      gateway.next(end, refuse(status, { message: 'The run is ALREADY RUNNING' }));
      const bench = runsTo(gateway);

      await bench.deliver(start);
      const result = await bench.deliver(start, { receiveCount: 2 });

      expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
      expect(gateway.requests).toHaveLength(2);
    },
  );

  it.each([
    ['has ended', { message: 'the run was archived' }, { kind: 'skipped', reason: 'ALREADY_ENDED' }],
    ['is as the configuration says', { message: 'The run HAS ENDED ALREADY' }, { kind: 'applied' }],
    [
      'does not take the word',
      { detail: [{ loc: ['body', 'status'], msg: 'no such status' }] },
      { kind: 'parked', reason: 'VALIDATION' },
    ],
  ])('[A24] a 422 of a stop whose run %s settles it', async (_what, body, outcome) => {
    const gateway = await startRawGateway();
    gateway.next(answerWell, refuse(422, body));
    const bench = runsTo(gateway);
    await bench.deliver(start);

    bench.passMs(minutes(10));
    const result = await bench.deliver(stop);

    expect(result).toMatchObject({ outcomes: [outcome] });
    expect(gateway.requests).toHaveLength(2);
  });
});

describe('a listing that the gateway refuses', () => {
  it('[A23] a 404 of a listing ends the poll, and nothing is concluded', async () => {
    const gateway = await startRawGateway();
    gateway.always(refuse(404));
    const bench = pollsOf(gateway);

    await expect(bench.poll()).rejects.toMatchObject({ status: 404, namesResource: false });

    expect(gateway.requests).toHaveLength(1);
    expect(bench.known()).toEqual([]);
  });
});
