/**
 * A first delivery leaves no mark before it sends: whatever runs beside it, in whatever order and
 * however it dies, sends nothing twice.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import type { UploadDeps } from '#functions/register-datasets/upload.ts';
import { NotSentError } from '#shared/gateway-client/index.ts';
import { createUploadBench, goodCsv, Killed } from './upload-bench.ts';
import { quietLog, statusError } from '../../../builders/ports.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const minuteMs = 60_000;
const first = { key: 'datasets/pii/names.csv', versionId: 'v1' };
/** The same request with the same bytes: both want one place. */
const second = { ...first, versionId: 'v2' };
const other = { key: 'datasets/pii/other.csv', versionId: 'v1', body: `${goodCsv}who are you?,false\n` };
const uploads = [first, second, other];

/**
 * One delivery of an upload, by its place in the list: as which delivery of its message, by whose
 * clock, and what befalls it.
 */
interface Delivery {
  readonly upload: number;
  readonly receiveCount: number;
  readonly skewMs: number;
  /** Effects. */
  readonly dieAfter: number;
  /** The object is seen as gone: what else than sending ends an upload, and gives its place up. */
  readonly isGone: boolean;
  /** Something fails when all is ready to be sent: the claim is given back. */
  readonly isInterrupted: boolean;
  readonly gateway: 'takes it' | 'was not reached' | 'refuses it';
}

const aDelivery: fc.Arbitrary<Delivery> = fc.record({
  upload: fc.nat(uploads.length - 1),
  receiveCount: fc.constantFrom(1, 1, 1, 2),
  skewMs: fc.constantFrom(-5 * minuteMs, 0, 0, 5 * minuteMs),
  dieAfter: fc.option(fc.integer({ min: 1, max: 14 }), { nil: Infinity }),
  isGone: fc.constantFrom(false, false, false, true),
  isInterrupted: fc.constantFrom(false, false, false, true),
  gateway: fc.constantFrom('takes it', 'takes it', 'was not reached', 'refuses it'),
});

/**
 * A stage whose workers take their steps in the order that a scheduler says; `made`: the fileId of
 * each dataset of its gateway.
 */
function createStage(scheduler: fc.Scheduler) {
  const bench = createUploadBench();
  const bodies = uploads.map((upload) => bench.put(upload));
  const made: string[] = [];
  let attempts = 0;

  /**
   * The parts of one attempt: each call waits for its turn, and none is made once its worker is
   * dead.
   */
  function depsOf({ dieAfter, isGone, isInterrupted, gateway }: Delivery): UploadDeps {
    let effects = 0;
    const alive = () => {
      if (effects >= dieAfter) throw new Killed('killed');
    };
    const turn = async <Result>(what: string, call: () => Promise<Result>): Promise<Result> => {
      alive();
      await scheduler.schedule(Promise.resolve(), what);
      const result = await call();
      effects += 1;
      alive();
      return result;
    };
    const { ledger, objects, gatewayWithin } = bench.deps;
    return {
      ...bench.deps,
      ledger: {
        ...ledger,
        read: (pk) => turn('read', () => ledger.read(pk)),
        write: (before, after) => turn('write', () => ledger.write(before, after)),
      },
      objects: {
        ...objects,
        open: (version) => turn('GET', async () => (isGone ? undefined : objects.open(version))),
      },
      pace: () =>
        turn('pace', async () => {
          if (isInterrupted) throw new Error('interrupted');
        }),
      sleep: () => turn('sleep', async () => {}),
      gatewayWithin: (functionMs) => ({
        ...gatewayWithin(functionMs),
        gateway: {
          createDataset: ({ fileId }) =>
            turn('POST', async () => {
              if (gateway === 'was not reached') throw new NotSentError('POST');
              if (gateway === 'refuses it') throw statusError(422);
              made.push(fileId ?? '');
              // Its answer takes its time: longer than any back-off of the others.
              bench.pass(40_000);
              await scheduler.schedule(Promise.resolve(), 'answer');
              return { id: `dataset-${made.length}` };
            }),
        },
      }),
    };
  }

  /** @returns whether the message was acknowledged */
  async function deliver(delivery: Delivery): Promise<boolean> {
    attempts += 1;
    const record = {
      messageId: `message-${attempts}`,
      body: bodies[delivery.upload] ?? '',
      receiveCount: delivery.receiveCount,
      sentAt: new Date(bench.state.nowMs),
      queueArn: 'uploads',
    };
    const result = await handleUploadMessage({
      deps: depsOf(delivery),
      record,
      context: {
        log: quietLog,
        attemptId: `attempt-${attempts}`,
        now: () => new Date(bench.state.nowMs + delivery.skewMs),
        remainingMs: () => 120_000,
      },
    }).catch(() => undefined);
    return result?.kind === 'done';
  }

  /** As the queue does, again and again and one by one, until each message is acknowledged. */
  async function drain(): Promise<readonly boolean[]> {
    const isEnded = uploads.map(() => false);
    const well = { skewMs: 0, dieAfter: Infinity, isGone: false, isInterrupted: false, gateway: 'takes it' } as const;
    for (let receiveCount = 3; receiveCount < 14; receiveCount += 1) {
      bench.pass(90 * minuteMs);
      for (const upload of uploads.keys()) isEnded[upload] ||= await deliver({ upload, receiveCount, ...well });
    }
    return isEnded;
  }

  return { bench, made, deliver, drain };
}

/** What was promised of the uploads of one content, of which the gateway has so many datasets. */
function expectTruth(ends: readonly (string | undefined)[], times: number): void {
  const isKnown = ends.some((end) => end === 'APPLIED' || end === 'POST_OUTCOME_UNKNOWN');
  expect(times).toBeLessThanOrEqual(1);
  expect(ends.filter((end) => end === 'APPLIED').length).toBeLessThanOrEqual(times);
  // What the gateway has is never taken for not made: it is applied, or unknown.
  expect(isKnown || times === 0).toBe(true);
}

describe('deliveries of the same work at once', () => {
  it('[C1 C4 C5 F8 F10] make at most one dataset of each content, and every upload ends as the gateway has it', async () => {
    const histories = fc.array(aDelivery, { minLength: 2, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(histories, fc.scheduler(), async (deliveries, scheduler) => {
        const { bench, made, deliver, drain } = createStage(scheduler);

        await scheduler.waitFor(Promise.all(deliveries.map(deliver)));
        const isEnded = await scheduler.waitFor(drain());

        const rows = await Promise.all(uploads.map((upload) => bench.row(upload)));
        const ends = rows.map((row) => row?.outcome?.reason ?? row?.state);
        expect(isEnded).toEqual(uploads.map(() => true));
        expectTruth(ends.slice(0, 2), made.filter((fileId) => fileId === 'names').length);
        expectTruth(ends.slice(2), made.filter((fileId) => fileId === 'other').length);
      }),
      propertyRuns(80),
    );
  });
});

describe('the place of an upload without a row', () => {
  it('is not taken over: another of the same bytes waits, and is skipped once the first is registered', async () => {
    const bench = createUploadBench();
    const [body, again] = [bench.put(first), bench.put(second)];
    const between: unknown[] = [];
    // All is prepared and reserved, and no row tells of it.
    bench.faults.pace = async () => {
      bench.faults.pace = async () => {};
      between.push(await bench.row(first), await bench.deliver(again));
    };

    await bench.deliver(body);
    bench.pass(minuteMs);
    await bench.deliver(again, { receiveCount: 2 });

    expect(between).toMatchObject([undefined, { kind: 'later', why: expect.stringContaining('the same content') }]);
    expect(bench.posts).toHaveLength(1);
    expect(await bench.row(second)).toMatchObject({ state: 'SKIPPED', datasetId: 'dataset-1' });
  });
});
