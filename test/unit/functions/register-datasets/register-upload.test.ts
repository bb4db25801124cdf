import { describe, expect, it } from 'vitest';
import { ConnectionLostError } from '#shared/gateway-client/index.ts';
import { ObjectRefusedError } from '#shared/aws/object-store.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { resolveApplied } from '#operator/parked/resolve-parked.ts';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { failing, statusError } from '../../../builders/ports.ts';
import { createUploadBench, eventOf, goodCsv, piiRule, type UploadBench } from './upload-bench.ts';

const upload = { key: 'datasets/pii/First names+.csv', versionId: 'v1' };

/** The outcome, the row and the events of one delivery, to be asserted together. */
async function ending(bench: UploadBench, object: Parameters<UploadBench['row']>[0], body: string) {
  const result = await bench.deliver(body);
  const row = await bench.row(object);
  return { result, row, eventTypes: bench.events.map((event) => event.type) };
}

describe('register-datasets, a good upload', () => {
  it('is registered once: outcome, row, event and a start that the commands queue takes agree', async () => {
    const bench = createUploadBench();

    const { result, row, eventTypes } = await ending(bench, upload, bench.put(upload));

    expect(bench.posts).toMatchObject([{ fileId: 'First names+', name: 'First names+', scannerId: 'scanner-1' }]);
    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'applied', subject: upload.key }] });
    expect(row).toMatchObject({ state: 'APPLIED', datasetId: 'dataset-1', outcome: { kind: 'applied' }, attempts: 1 });
    expect(row).not.toHaveProperty('openState');
    expect(row).not.toHaveProperty('owner');
    expect(eventTypes).toEqual(['DatasetRegistered']);
    expect(bench.events[0]?.detail).toMatchObject({ datasetId: 'dataset-1', key: upload.key, versionId: 'v1' });
    expect(bench.commands.map((sent) => parseCampaignRunCommand(sent, new Date(bench.state.nowMs)))).toMatchObject([
      {
        ok: true,
        command: {
          action: 'start',
          run: 'smoke',
          issuedAt: '2026-11-20T09:59:58.000Z',
          origin: { kind: 'upload', name: upload.key },
        },
      },
    ]);
  });

  it('starts its run as of the decision of the person who settled it, not as of the event', async () => {
    const bench = createUploadBench();
    bench.faults.gateway = failing(new ConnectionLostError('POST /backend/v1/datasets', new Error('reset')));
    const body = bench.put(upload);
    await bench.deliver(body);
    bench.pass(5 * 3_600_000);
    const at = new Date(bench.state.nowMs);
    await bench.decide(upload, (row) => resolveApplied(row, { by: 'ann', reason: 'found it', at, datasetId: 'd-1' }));
    bench.pass(10_000);

    await bench.deliver(body);
    await bench.deliver(body);

    expect(new Set(bench.commands).size).toBe(1);
    expect(JSON.parse(bench.commands[0] ?? '')).toMatchObject({ run: 'smoke', issuedAt: at.toISOString() });
  });

  it('carries a request id that log, ledger and gateway share, and an idempotency key', async () => {
    const bench = createUploadBench();

    await bench.deliver(bench.put(upload));

    const digest = (await bench.row(upload))?.pk.split('#').at(-1) ?? '';
    expect(bench.posts).toMatchObject([{ requestId: digest.slice(0, 16), idempotencyKey: digest }]);
    const created = bench.lines.find((line) => line.event === 'dataset_created');
    expect(created?.fields).toEqual({
      key: upload.key,
      datasetId: 'dataset-1',
      xRequestId: digest.slice(0, 16),
    });
  });

  it('of a rule that asks for no follow-up is one line of the log, written before the ledger was told', async () => {
    const bench = createUploadBench({ rules: [{ ...piiRule, announce: false, thenStart: undefined }] });

    const result = await bench.deliver(bench.put(upload));

    expect(bench.lines.map(({ event }) => event)).toEqual(['dataset_created']);
    // So that its outcome is counted and listed, and not told again.
    expect(result.outcomes).toMatchObject([{ kind: 'applied', isLogged: true }]);
    expect([bench.commands, bench.events]).toEqual([[], []]);
  });

  it('tells what its check found: row, outcome and event agree, and a repeated prompt is a warning', async () => {
    const bench = createUploadBench();
    const body = `${goodCsv}what is the time?,false\n`;
    const checked = { rows: 3, blocking: 1, repeated: 1 };

    const { result, row } = await ending(bench, upload, bench.put({ ...upload, body }));

    const detail =
      'dataset dataset-1; prompt-label-csv: 3 rows, 1 true and 2 false; warning: 1 row repeats a prompt of earlier rows';
    expect(result).toMatchObject({ outcomes: [{ kind: 'applied', detail }] });
    expect(row).toMatchObject({ checked, outcome: { detail } });
    expect(bench.events[0]?.detail).toMatchObject({ checked });
  });

  it('[C2 C5 D4] repeats its follow-ups under the same ids when the message comes again, sends nothing and counts nothing twice', async () => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    await bench.deliver(body);
    bench.pass(13 * 86_400_000);

    const { result } = await ending(bench, upload, body);

    expect(result).toEqual({ kind: 'done', outcomes: [] });
    expect(bench.lines.filter(({ event }) => event === 'repeated')).toMatchObject([{ fields: { outcome: 'applied' } }]);
    expect(bench.posts).toHaveLength(1);
    expect(new Set(bench.commands).size).toBe(1);
    expect(new Set(bench.events.map((event) => event.detail.eventId)).size).toBe(1);
  });

  it('is reported with its outcome when a follow-up fails, and comes back for the follow-up alone', async () => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    bench.faults.publish = async () => {
      bench.faults.publish = async () => {};
      throw new Error('the bus is not there');
    };

    const results = [await bench.deliver(body), await bench.deliver(body)];

    expect(results).toMatchObject([
      { kind: 'later', why: 'Error: the bus is not there', outcomes: [{ kind: 'applied' }] },
      { kind: 'done', outcomes: [] },
    ]);
    expect(bench.events.map(({ type }) => type)).toEqual(['DatasetRegistered']);
  });
});

describe('register-datasets, uploads that are parked before anything is sent', () => {
  it.each([
    ['FILE_ID_MISSING', { rule: { ...piiRule, fileId: undefined } }],
    ['FILE_ID_MISSING', { rule: { ...piiRule, fileId: '  ' } }],
    ['CHECK_FAILED', { body: 'text,label\na,true\n' }],
    ['CHECK_FAILED', { body: 'prompt,label\na,true\nb,perhaps\n' }],
    ['OBJECT_TOO_LARGE', { sizeBytes: 10_000_001 }],
  ])('parks %s %j with its reason, message and next step', async (reason, given) => {
    const { rule, ...object } = { rule: piiRule, ...given };
    const bench = createUploadBench({ rules: [rule] });
    const body = bench.put({ ...upload, ...object });

    const { result, row, eventTypes } = await ending(bench, upload, body);

    expect(bench.posts).toEqual([]);
    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'parked', reason }] });
    expect(row).toMatchObject({
      state: 'PARKED',
      openState: 'PARKED',
      outcome: { reason },
      parked: { message: body, queue: 'uploads' },
    });
    expect(row).not.toHaveProperty('expiresAt');
    expect(eventTypes).toEqual(['WorkParked']);
    expect(bench.events[0]?.detail).toMatchObject({ reason, nextStep: expect.any(String), ledgerKey: row?.pk });
  });

  it('[D12] names the bad row of a file that failed its check', async () => {
    const bench = createUploadBench();

    const { row } = await ending(bench, upload, bench.put({ ...upload, body: 'prompt,label\na,true\nb,perhaps\n' }));

    expect(row?.outcome?.detail).toBe(
      'prompt-label-csv: row 3 (line 3): the label is "perhaps", not true, false, 1 or 0',
    );
    expect(row?.problemsByRow).toEqual([
      { row: 3, line: 3, column: 'label', says: 'the label is "perhaps", not true, false, 1 or 0' },
    ]);
  });

  it('keeps at most 2 KB of what the gateway says, in row, event and outcome', async () => {
    const bench = createUploadBench();
    const details = { text: 'ß'.repeat(100_000), fields: [] };
    bench.faults.gateway = failing(statusError(422, { details }));

    const { result, row } = await ending(bench, upload, bench.put(upload));

    const said = [row?.outcome?.detail, bench.events[0]?.detail['detail'], result.outcomes?.[0]?.detail];
    expect(said.map((text) => Buffer.byteLength(String(text)) <= 2048)).toEqual([true, true, true]);
    expect(row?.outcome?.detail).toMatch(/ß…$/);
  });

  it('[D6] parks a version that was deleted before it could be read', async () => {
    const bench = createUploadBench();

    const { result, row } = await ending(bench, upload, eventOf(upload));

    expect(result).toMatchObject({
      outcomes: [{ kind: 'parked', reason: 'OBJECT_GONE', detail: expect.stringContaining('v1') }],
    });
    expect(row?.state).toBe('PARKED');
  });

  it('parks a version at once that S3 does not give out, with what to do', async () => {
    const bench = createUploadBench();
    const about = {
      code: 'InvalidObjectState',
      message: 'no.',
      advice: 'It is archived: restore it.',
      cause: undefined,
    };
    bench.faults.read = failing(new ObjectRefusedError({ ...upload, bucket: 'ours' }, about));

    const { result } = await ending(bench, upload, eventOf(upload));

    expect(result).toMatchObject({
      outcomes: [{ kind: 'parked', reason: 'OBJECT_REFUSED', detail: expect.stringContaining('restore it') }],
    });
  });

  it.each([
    ['another bucket', { ...upload, bucket: 'theirs' }],
    ['another prefix', { ...upload, key: 'elsewhere/a.json' }],
  ])('[D8] parks an event of %s without a call to S3', async (_name, foreign) => {
    const bench = createUploadBench();

    const { result, row } = await ending(bench, foreign, bench.put(foreign));

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'FOREIGN_EVENT' }] });
    expect(row?.state).toBe('PARKED');
    expect([bench.reads, bench.posts]).toEqual([[], []]);
  });
});

describe('register-datasets, objects that are not for us', () => {
  it.each([
    ['a folder marker', { key: 'datasets/pii/', versionId: 'v1', body: '' }],
    ['a key without a rule', { key: 'datasets/other/a.csv', versionId: 'v1' }],
  ])('[D2] ignores %s, in the ledger too', async (_name, object) => {
    const bench = createUploadBench();

    const { result, row, eventTypes } = await ending(bench, object, bench.put(object));

    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'ignored' }] });
    expect(row).toMatchObject({ state: 'IGNORED', outcome: { kind: 'ignored' } });
    expect([eventTypes, bench.reads]).toEqual([[], []]);
  });

  it('[D2] does not ignore an empty file, nor a key with a slash at its end that holds bytes', async () => {
    const bench = createUploadBench({ rules: [{ ...piiRule, check: 'none', name: '' }] });
    const empty = { key: 'datasets/pii/empty.csv', versionId: 'v1', body: '' };
    const odd = { key: 'datasets/pii/odd/', versionId: 'v1', metadata: { 'file-id': 'odd' } };

    await bench.deliver(bench.put(empty));
    await bench.deliver(bench.put(odd));

    expect(bench.posts.map((post) => post.fileId)).toEqual(['empty', 'odd']);
  });
});

/**
 * A claim of a worker that died at a second delivery, which writes it first of all, changed as a
 * test needs it.
 */
async function deadClaim(bench: UploadBench, changes: Partial<UploadRow>): Promise<string> {
  const body = bench.put(upload);
  bench.state.dieAfter = 1;
  await bench.deliver(body, { receiveCount: 2 }).catch(() => {});
  bench.state.dieAfter = Infinity;
  const claimed = await bench.row(upload);
  if (claimed === undefined) throw new Error('not claimed');
  await bench.ledger.write(claimed, { ...claimed, ...changes });
  return body;
}

describe('register-datasets, the ledger says who may', () => {
  it('forgives the crashes before an attempt that said how it ended', async () => {
    const bench = createUploadBench();
    const body = await deadClaim(bench, { crashes: 1 });
    bench.pass(151_000);
    bench.faults.token = failing(new Error('no token for the gateway'));

    await bench.deliver(body);

    expect(await bench.row(upload)).toMatchObject({ state: 'READY', crashes: 0 });
  });

  it('[F9] does not begin what the time left could not finish, and does not claim it either', async () => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    const { gateway } = bench.deps.gatewayWithin(0);
    bench.deps.gatewayWithin = () => ({ gateway, callBudgetMs: 130_000 });

    const result = await bench.deliver(body);

    expect(result).toMatchObject({ kind: 'later', delayMs: 0 });
    expect(await bench.row(upload)).toBeUndefined();
  });

  it('[F9] gives the claim back when preparing took the time', async () => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    bench.faults.pace = async () => {
      bench.state.remainingMs = 40_000;
    };

    const result = await bench.deliver(body);

    expect(result).toMatchObject({ kind: 'later', delayMs: 0 });
    expect(await bench.row(upload)).toMatchObject({ state: 'READY', crashes: 0 });
    expect(bench.posts).toEqual([]);
  });

  it('[F4] keeps an upload through a day of a token store that fails, then parks HORIZON_EXCEEDED', async () => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    bench.faults.token = failing(new Error('no token for the gateway'));

    for (let hour = 0; hour < 24; hour += 1) {
      expect(await bench.deliver(body)).toMatchObject({ kind: 'later' });
      bench.pass(3_600_000);
    }
    bench.pass(1000);
    const { result, row } = await ending(bench, upload, body);

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'HORIZON_EXCEEDED' }] });
    expect(row?.outcome?.detail).toContain('no token');
    expect(bench.posts).toEqual([]);
  });
});
