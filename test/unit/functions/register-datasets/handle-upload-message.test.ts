import { describe, expect, it } from 'vitest';
import { failing, statusError } from '../../../builders/ports.ts';
import { createUploadBench, eventOf } from './upload-bench.ts';

const upload = { key: 'datasets/pii/First names+.csv', versionId: 'v1' };

describe('register-datasets, a message of several records', () => {
  it('[D10] ends the good ones and keeps the message until all have ended', async () => {
    const bench = createUploadBench();
    const good = { ...upload, versionId: 'v7' };
    const busy = { key: 'datasets/pii/busy.csv', versionId: 'v1' };
    bench.put(good);
    const body = eventOf(busy, good);
    bench.put(busy);
    bench.faults.read = async () => {
      bench.faults.read = async () => {};
      throw new Error('S3 is not there');
    };

    const first = await bench.deliver(body);
    expect(first).toMatchObject({ kind: 'later', outcomes: [{ kind: 'applied', subject: good.key }] });
    expect(await bench.row(busy)).toMatchObject({ state: 'READY', crashes: 0, lastError: 'Error: S3 is not there' });

    bench.pass(60_000);
    const second = await bench.deliver(body);
    expect(second).toMatchObject({ kind: 'done', outcomes: [{ kind: 'applied', subject: busy.key }] });
    expect(bench.posts).toHaveLength(2);
  });

  it('reports its unreadable records once, however often it comes back for the others', async () => {
    const bench = createUploadBench();
    const { Records } = JSON.parse(bench.put(upload));
    const body = JSON.stringify({ Records: [...Records, { eventSource: 'forged' }] });
    bench.faults.read = failing(new Error('S3 is not there'));

    const results = [await bench.deliver(body), await bench.deliver(body)];

    expect(results).toMatchObject([
      { kind: 'later', outcomes: [{ kind: 'parked' }] },
      { kind: 'later', outcomes: [] },
    ]);
    expect(new Set(bench.events.map((event) => event.detail.eventId)).size).toBe(1);
  });

  it('comes back as soon as the first of its records needs it', async () => {
    const bench = createUploadBench();
    const slow = { key: 'datasets/pii/slow.csv', versionId: 'v1' };
    const quick = { key: 'datasets/pii/quick.csv', versionId: 'v1' };
    bench.put(slow);
    bench.put(quick);
    bench.faults.gateway = async () => {
      bench.faults.read = failing(new Error('S3 is not there'));
      throw statusError(429, { retryAfterMs: 600_000 });
    };

    const result = await bench.deliver(eventOf(slow, quick));

    expect(result).toMatchObject({ kind: 'later', delayMs: 22_500, why: 'Error: S3 is not there' });
    expect(await bench.row(slow)).toMatchObject({ state: 'READY', notBefore: '2026-11-20T10:10:00.000Z' });
  });

  it('[D10] parks the message for its unreadable records and registers the others', async () => {
    const bench = createUploadBench();
    const { Records } = JSON.parse(bench.put(upload));
    const bad = structuredClone(Records[0]);
    bad.s3.object.key = '%zz';
    const body = JSON.stringify({ Records: [bad, ...Records, { eventSource: 'forged' }] });

    const result = await bench.deliver(body);

    expect(result).toMatchObject({
      kind: 'done',
      outcomes: [{ kind: 'applied' }, { kind: 'parked', reason: 'BAD_KEY' }],
    });
    const parkedRow = bench.ledger.all().find((row) => row.kind === 'message');
    expect(parkedRow).toMatchObject({ openState: 'PARKED', parked: { message: body } });
    expect(bench.events.map((event) => event.type).toSorted()).toEqual(['DatasetRegistered', 'WorkParked']);
  });

  it('[D1 D7] ignores the test event and a removal', async () => {
    const bench = createUploadBench();
    const { Records } = JSON.parse(eventOf(upload));
    const removed = JSON.stringify({ Records: [{ ...Records[0], eventName: 'ObjectRemoved:Delete' }] });

    const results = [await bench.deliver('{"Event":"s3:TestEvent"}'), await bench.deliver(removed)];

    expect(results).toMatchObject([{ outcomes: [{ kind: 'ignored' }] }, { outcomes: [{ kind: 'ignored' }] }]);
    expect([bench.reads, bench.ledger.all()]).toEqual([[], []]);
  });
});
