import { describe, expect, it } from 'vitest';
import {
  BadBodyError,
  CertificateError,
  ConnectionLostError,
  GatewayTimeoutError,
  NotSentError,
  RedirectError,
} from '#shared/gateway-client/index.ts';
import { pendingSentence, pendingUpload } from '#operator/outcomes/pending-work.ts';
import { resolveApplied, resolveDismiss, resolveRepeat } from '#operator/parked/resolve-parked.ts';
import { failing, ofEdge, statusError } from '../../../../builders/ports.ts';
import { createUploadBench, type UploadBench } from '../upload-bench.ts';

const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };
const decision = { by: 'ann', reason: 'looked it up', at: new Date('2026-11-20T12:00:00.000Z') };
const post = 'POST /backend/v1/datasets';
const sent = { requestSent: true };
const seenOfEdge = { httpStatus: 413, speaker: 'edge' };

function saying(code: number, details: { readonly text?: string; readonly datasetId?: string }) {
  return statusError(code, { details: { text: '', fields: [], ...details } });
}

function failOnce(bench: UploadBench, failure: unknown): void {
  const good = bench.faults.gateway;
  bench.faults.gateway = async () => {
    bench.faults.gateway = good;
    throw failure;
  };
}

async function parkedUnknown() {
  const bench = createUploadBench();
  failOnce(bench, new ConnectionLostError(post, new Error('reset')));
  const body = bench.put(upload);
  await bench.deliver(body);
  return { bench, body };
}

describe('a POST whose end is unknown', () => {
  it.each([
    ['a connection lost', new ConnectionLostError(post, new Error('reset')), { errorCode: 'CONNECTION_LOST', ...sent }],
    ['no headers in time', new GatewayTimeoutError(post, { phase: 'headers' }), { errorCode: 'TIMEOUT', ...sent }],
    ['a 500', statusError(500), { httpStatus: 500, errorCode: 'BAD_STATUS', ...sent }],
    ['a bare 503', statusError(503), { httpStatus: 503 }],
    ['a 504', statusError(504), { httpStatus: 504 }],
    ['a login page', new BadBodyError(post, { status: 200, reason: 'not-from-api' }), { httpStatus: 200 }],
    ['a 303', new RedirectError(post, { status: 303 }), { httpStatus: 303 }],
    ['an error of our own', new TypeError('a bug'), {}],
  ])('[A28 A29] is parked POST_OUTCOME_UNKNOWN after %s, and never sent again', async (_name, failure, evidence) => {
    const bench = createUploadBench();
    failOnce(bench, failure);
    const body = bench.put(upload);

    const result = await bench.deliver(body);
    bench.pass(3_600_000);
    await bench.deliver(body);

    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'parked', reason: 'POST_OUTCOME_UNKNOWN' }] });
    expect(await bench.row(upload)).toMatchObject({
      state: 'PARKED',
      openState: 'PARKED',
      outcome: { reason: 'POST_OUTCOME_UNKNOWN' },
      parked: { ...evidence, lookFor: 'names', requestId: expect.stringMatching(/^[0-9a-f]{16}$/), message: body },
    });
    expect(bench.posts).toHaveLength(1);
    expect(new Set(bench.events.map((event) => event.detail.eventId)).size).toBe(1);
    expect(bench.events[0]).toMatchObject({ type: 'WorkParked', detail: { reason: 'POST_OUTCOME_UNKNOWN' } });
  });

  it('binds its content: the same bytes under a new version are not sent', async () => {
    const { bench } = await parkedUnknown();
    const again = { ...upload, versionId: 'v2' };

    const result = await bench.deliver(bench.put(again));

    expect(result).toMatchObject({ outcomes: [{ kind: 'skipped', detail: expect.stringContaining('not known yet') }] });
    expect(bench.posts).toHaveLength(1);
  });

  // It used to block these bytes for 400 days: skipped as a duplicate of an upload that would never be finished.
  it('frees its content when a person dismisses it: the same bytes uploaded again are registered', async () => {
    const { bench } = await parkedUnknown();
    await bench.decide(upload, (row) => resolveDismiss(row, decision));
    const again = { ...upload, versionId: 'v2' };

    const result = await bench.deliver(bench.put(again));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.posts).toHaveLength(2);
  });

  it('[C14] is sent once more, and only once, when a person approves the repeat', async () => {
    const { bench, body } = await parkedUnknown();
    await bench.decide(upload, (row) => resolveRepeat(row, decision));

    const results = [await bench.deliver(body), await bench.deliver(body)];

    expect(results).toMatchObject([{ outcomes: [{ kind: 'applied' }] }, { kind: 'done', outcomes: [] }]);
    expect(bench.posts).toHaveLength(2);
    const [first, second] = bench.posts;
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
    expect(await bench.row(upload)).toMatchObject({
      state: 'APPLIED',
      resolutions: [{ decision: 'repeat', by: 'ann' }],
    });
  });
});

describe('a POST that was applied', () => {
  it.each(['truncated', 'not-json', 'wrong-shape', 'too-big'] as const)(
    'is parked APPLIED_ID_UNKNOWN when its answer is %s',
    async (reason) => {
      const bench = createUploadBench();
      failOnce(bench, new BadBodyError(post, { status: 200, reason, body: { text: '{"uuid":1}' } }));
      const body = bench.put(upload);

      const result = await bench.deliver(body);
      await bench.deliver(body);

      expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'APPLIED_ID_UNKNOWN' }] });
      expect(await bench.row(upload)).toMatchObject({
        state: 'PARKED',
        parked: { httpStatus: 200, requestSent: true, answer: { text: '{"uuid":1}' } },
      });
      expect(bench.posts).toHaveLength(1);
    },
  );

  it('[A25] is applied when a 409 names the dataset, and parked DUPLICATE_SUSPECTED when it does not', async () => {
    const named = createUploadBench();
    failOnce(named, saying(409, { datasetId: 'there-1' }));
    await named.deliver(named.put(upload));
    const unnamed = createUploadBench();
    failOnce(unnamed, saying(409, { text: 'exists' }));
    await unnamed.deliver(unnamed.put(upload));

    expect(await named.row(upload)).toMatchObject({ state: 'APPLIED', datasetId: 'there-1' });
    expect(await unnamed.row(upload)).toMatchObject({ state: 'PARKED', outcome: { reason: 'DUPLICATE_SUSPECTED' } });
  });

  it('[F6] is recorded although the ledger fails for a while', async () => {
    const bench = createUploadBench();
    let failures = 5;
    bench.faults.write = async (item) => {
      if (item.state === 'APPLIED' && failures-- > 0) throw new Error('the ledger is not there');
    };

    const result = await bench.deliver(bench.put(upload));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(await bench.row(upload)).toMatchObject({ state: 'APPLIED', datasetId: 'dataset-1' });
  });

  it('[F6] is parked with its id in the log, never sent again, when the ledger fails until the deadline', async () => {
    const bench = createUploadBench();
    bench.faults.write = async (item) => {
      if (item.state === 'APPLIED') throw new Error('the ledger is not there');
    };
    const body = bench.put(upload);

    const first = await bench.deliver(body);
    bench.faults.write = async () => {};
    bench.pass(151_000);
    const second = await bench.deliver(body);

    expect(first).toMatchObject({ kind: 'later' });
    expect(bench.lines.find((line) => line.event === 'dataset_created')?.fields).toMatchObject({
      datasetId: 'dataset-1',
    });
    expect(second).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'POST_OUTCOME_UNKNOWN' }] });
    expect(bench.posts).toHaveLength(1);
  });

  it('[F14] takes a write whose answer was lost for written', async () => {
    const bench = createUploadBench();
    const { ledger } = bench.deps;
    let isLost = true;
    bench.deps.ledger = {
      ...ledger,
      write: async (before, after) => {
        const written = await ledger.write(before, after);
        if (isLost && after.kind === 'upload' && after.state === 'APPLIED') {
          isLost = false;
          throw new Error('the answer was lost');
        }
        return written;
      },
    };

    const result = await bench.deliver(bench.put(upload));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.posts).toHaveLength(1);
  });

  it('[F7] settles the row of its own request that another worker took for unknown', async () => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    bench.faults.gateway = async () => {
      bench.pass(200_000);
      await bench.deliver(body);
      expect(await bench.row(upload)).toMatchObject({ state: 'PARKED' });
      return { id: 'late-1' };
    };

    const result = await bench.deliver(body);

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(await bench.row(upload)).toMatchObject({ state: 'APPLIED', datasetId: 'late-1' });
    expect((await bench.row(upload))?.openState).toBeUndefined();
    expect(bench.posts).toHaveLength(1);
  });

  it('leaves a row alone that a person has decided about meanwhile', async () => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    bench.faults.gateway = async () => {
      bench.pass(200_000);
      await bench.deliver(body);
      await bench.decide(upload, (row) => resolveApplied(row, { ...decision, datasetId: 'by-hand' }));
      return { id: 'late-1' };
    };

    await bench.deliver(body);

    expect(await bench.row(upload)).toMatchObject({ state: 'APPLIED', datasetId: 'by-hand' });
  });
});

describe('a POST that was proven not applied', () => {
  it.each([
    ['never left', new NotSentError(post, new Error('ECONNREFUSED')), 0],
    ['met a certificate that is not trusted', new CertificateError(post, new Error('self-signed')), 0],
    ['was refused for its token', statusError(401), 0],
    ['came too often', statusError(429, { retryAfterMs: 600_000 }), 600_000],
    ['found the gateway closed for a while', statusError(503, { retryAfterMs: 90_000 }), 90_000],
    ['timed out at the server', statusError(408), 0],
    ['came too early', statusError(425), 0],
    ['found no such path', statusError(404), 0],
  ])('[A23 A26 A29 A30] comes back when it %s, and is registered then', async (_name, failure, leastMs) => {
    const bench = createUploadBench();
    failOnce(bench, failure);
    const body = bench.put(upload);

    const first = await bench.deliver(body);
    const soon = await bench.deliver(body, { receiveCount: 2 });
    bench.pass(700_000);
    const second = await bench.deliver(body, { receiveCount: 3 });

    expect(first).toMatchObject({ kind: 'later' });
    expect(first.kind === 'later' && first.delayMs >= leastMs && first.delayMs > 0).toBe(true);
    expect(soon).toMatchObject({ kind: 'later' });
    expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.posts).toHaveLength(2);
    expect(bench.events.map((event) => event.type)).toEqual(['DatasetRegistered']);
  });

  // It was counted as refused 0 times, and people read that it looks permanent.
  it.each([429, 503, 404])('is no refusal that looks permanent after a %i', async (code) => {
    const bench = createUploadBench();
    failOnce(bench, statusError(code, { retryAfterMs: 1000 }));

    await bench.deliver(bench.put(upload));

    const row = await bench.row(upload);
    expect(row).toMatchObject({ state: 'READY' });
    expect(row && pendingSentence(pendingUpload(row))).not.toContain('refused');
  });

  it.each([400, 413, 415, 422])(
    '[A19] is parked VALIDATION at once with the words of the gateway after a %i',
    async (code) => {
      const bench = createUploadBench();
      failOnce(bench, saying(code, { text: 'body.scannerId: no such scanner' }));

      const result = await bench.deliver(bench.put(upload));

      expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'VALIDATION' }] });
      expect((await bench.row(upload))?.outcome?.detail).toContain('no such scanner');
      expect(bench.events).toHaveLength(1);
    },
  );

  it('gives its content free when it is parked: a new upload of the same takes its place, and the old one then is a duplicate', async () => {
    const bench = createUploadBench();
    failOnce(bench, statusError(422));
    const body = bench.put(upload);
    await bench.deliver(body);
    const again = { ...upload, versionId: 'v2' };

    await bench.deliver(bench.put(again));
    await bench.decide(upload, (row) => resolveRepeat(row, decision));
    bench.pass(2 * 3_600_000);
    const repeated = await bench.deliver(body);

    expect(await bench.row(again)).toMatchObject({ state: 'APPLIED' });
    expect(repeated).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'DUPLICATE_CONTENT' }] });
    expect(bench.posts).toHaveLength(2);
  });

  it('[A22] is parked FORBIDDEN at the third 403 in a row, and a 429 between them starts the count again', async () => {
    const bench = createUploadBench();
    const answers = [403, 403, 429, 403, 403, 403];
    bench.faults.gateway = async () => {
      throw statusError(answers[bench.posts.length - 1] ?? 500);
    };
    const body = bench.put(upload);

    const kinds: string[] = [];
    for (const _ of answers) {
      kinds.push((await bench.deliver(body)).kind);
      bench.pass(3_600_000);
    }

    expect(kinds).toEqual(['later', 'later', 'later', 'later', 'later', 'done']);
    expect(await bench.row(upload)).toMatchObject({ state: 'PARKED', outcome: { reason: 'FORBIDDEN' } });
  });

  // Counted over a day, an edge that refuses now and then would park what it lets through between.
  it.each([
    [[60_000, 60_000], { state: 'PARKED', outcome: { reason: 'EDGE_REFUSED' }, parked: seenOfEdge }],
    [[60_000, 3_600_000], { state: 'READY', evidence: seenOfEdge, refusals: { count: 1 } }],
  ])('is parked EDGE_REFUSED at the third answer of an edge within an hour: after %j ms', async (passed, row) => {
    const bench = createUploadBench();
    bench.faults.gateway = failing(statusError(413, { details: ofEdge }));
    const body = bench.put(upload);

    await bench.deliver(body);
    for (const ms of passed) {
      bench.pass(ms);
      await bench.deliver(body);
    }

    expect(await bench.row(upload)).toMatchObject(row);
  });
});
