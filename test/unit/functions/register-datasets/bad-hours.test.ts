import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createGate } from '#functions/_gateway/create-gate.ts';
import { createPacer } from '#functions/_gateway/rate-limiter.ts';
import type { LogFields } from '#functions/_handler/output.ts';
import { handleBatch, type QueueWorker } from '#functions/_handler/queue-worker.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import { BadStatusError, NotSentError } from '#shared/gateway-client/index.ts';
import { createUploadBench, piiRule } from './upload-bench.ts';

const hourMs = 3_600_000;
const uploads = 60;
const requestsPerSecond = 4;

const answered = (status: number, retryAfterMs?: number) =>
  new BadStatusError('POST /datasets', { status, retryAfterMs, details: { text: '', fields: [] } });

/** A bench whose gateway fails so for its first hours. */
async function hoursOf(badHours: number, failure: Error) {
  const bench = createHoursBench({ uploads, requestsPerSecond });
  const endMs = bench.startMs + badHours * hourMs;
  // The longest back-off is an hour: whatever waited out the bad hours is through two hours later.
  await bench.run(badHours + 2, (nowMs) => {
    if (nowMs < endMs) throw failure;
  });
  return { bench, postsBefore: bench.posts.filter((at) => at < endMs - 1000), endMs };
}

function everythingRegisteredOnce({ bench, postsBefore }: Awaited<ReturnType<typeof hoursOf>>): void {
  expect([...bench.states()].map(([state, rows]) => [state, rows.length])).toEqual([['APPLIED', uploads]]);
  expect([bench.messages, bench.deadLetters]).toEqual([[], []]);
  expect(bench.events.map(({ type }) => type)).toEqual(Array(uploads).fill('DatasetRegistered'));
  expect(bench.posts.length - postsBefore.length).toBe(uploads);
}

describe('an hour of 429', () => {
  it.each([
    ['with Retry-After: 1', 1000],
    ['without Retry-After', undefined],
  ])(
    '[C10] %s parks and dead-letters nothing, keeps to the rate, and ends with everything registered once',
    async (_how, ms) => {
      const hours = await hoursOf(1, answered(429, ms));

      everythingRegisteredOnce(hours);
      expect(mostWithin(10_000, hours.bench.posts)).toBeLessThanOrEqual(requestsPerSecond * 10 + 2);
      expect(hours.bench.probes).toEqual([]);
    },
  );
});

describe('a rate of one request in ten seconds', () => {
  it('[F15] makes uploads wait in the queue: no invocation ends at its timeout, and each is registered once, at that rate', async () => {
    const bench = createHoursBench({ uploads, requestsPerSecond: 0.1 });

    await bench.run(1, () => {});

    expect([...bench.states()].map(([state, rows]) => [state, rows.length])).toEqual([['APPLIED', uploads]]);
    expect([bench.posts.length, bench.messages, bench.deadLetters]).toEqual([uploads, [], []]);
    expect(Math.max(...bench.invocationsMs)).toBeLessThan(bench.functionMs);
    expect(mostWithin(100_000, bench.posts)).toBeLessThanOrEqual(12);
    // The ideal is ten minutes.
    expect(Math.max(...bench.posts) - bench.startMs).toBeLessThan(15 * 60_000);
  });
});

describe('six hours without an answer', () => {
  it('[C10] park and dead-letter nothing; the gate lets a handful of calls and the probes through', async () => {
    const hours = await hoursOf(6, new NotSentError('POST /datasets'));
    const { bench, postsBefore, endMs } = hours;

    everythingRegisteredOnce(hours);
    expect(postsBefore.length).toBeLessThanOrEqual(5);
    const failedProbes = bench.probes.filter((at) => at < endMs);
    expect(mostWithin(24_000, bench.probes)).toBe(1);
    // At least every five minutes, and at most every four once the interval has grown.
    expect(failedProbes.length).toBeGreaterThanOrEqual((6 * 60) / 10);
    expect(failedProbes.length).toBeLessThanOrEqual((6 * 60) / 4 + 4);
  });
});

describe('six hours in which the token is refused', () => {
  it('park nothing before the horizon, and cost one upload one call', async () => {
    const hours = await hoursOf(6, answered(401));

    everythingRegisteredOnce(hours);
    expect(hours.postsBefore.length).toBeLessThanOrEqual(2);
    expect(hours.bench.lines.some(({ event }) => event === 'auth_refused')).toBe(true);
  });
});

/**
 * As deployed (infra/config/stage-numbers.ts, infra/config/stage-numbers.ts): what the queue and
 * its mapping go by.
 */
const visibilityMs = 720_000;
const functionMs = 120_000;
const batchSize = 10;
const maxReceiveCount = 1000;
const environments = 2;

/** What one request takes. */
const latencyMs = 40;

/** What a call of the gateway comes to; it throws if the call fails. */
export type GatewayAt = (nowMs: number) => void;

/** A virtual clock on which several tasks sleep. */
function createVirtualTime(nowMs: number) {
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  const state = { nowMs };
  return {
    now: () => state.nowMs,
    sleepUntil: (atMs: number) => new Promise<void>((wake) => void sleepers.push({ atMs, wake })),
    /** Lets time pass from one sleeper to the next, to the end. */
    async runUntil(endMs: number): Promise<void> {
      for (;;) {
        // Everything that needs no time is done first.
        await new Promise<void>((resolve) => void setImmediate(resolve));
        const [next] = sleepers.toSorted((a, b) => a.atMs - b.atMs);
        if (next === undefined || next.atMs > endMs) return;
        sleepers.splice(sleepers.indexOf(next), 1);
        state.nowMs = Math.max(state.nowMs, next.atMs);
        next.wake();
      }
    },
  };
}

interface Message {
  readonly body: string;
  readonly messageId: string;
  readonly sentAtMs: number;
  visibleAtMs: number;
  receiveCount: number;
}

/**
 * Hours of register-datasets on a virtual clock. The worker as its handler wires it, in two
 * environments, behind a queue that does as SQS does; ledger, objects and gateway in memory.
 */
export function createHoursBench(options: { readonly uploads: number; readonly requestsPerSecond: number }) {
  const bench = createUploadBench();
  const keys = Array.from({ length: options.uploads }, (_, index) => `${piiRule.prefix}${index}.csv`);
  const startMs = bench.state.nowMs;
  const time = createVirtualTime(startMs);
  const messages: Message[] = keys.map((key, index) => ({
    // Bytes of their own: equal ones would be one dataset.
    body: bench.put({ key, versionId: 'v1', body: csvOf(index) }),
    messageId: `message-${index}`,
    sentAtMs: startMs,
    visibleAtMs: startMs,
    receiveCount: 0,
  }));
  const deadLetters: Message[] = [];
  const posts: number[] = [];
  const probes: number[] = [];
  /** How long each invocation took. */
  const invocationsMs: number[] = [];
  let gatewayAt: GatewayAt | undefined;

  async function called(log: number[]): Promise<void> {
    log.push(time.now());
    await time.sleepUntil(time.now() + latencyMs);
    gatewayAt?.(time.now());
  }

  function receive(): Message[] {
    const now = time.now();
    const batch = messages.filter((message) => message.visibleAtMs <= now).slice(0, batchSize);
    for (const message of batch) {
      message.receiveCount += 1;
      message.visibleAtMs = now + visibilityMs;
      if (message.receiveCount > maxReceiveCount) deadLetters.push(...messages.splice(messages.indexOf(message), 1));
    }
    return batch.filter((message) => message.receiveCount <= maxReceiveCount);
  }

  function workerOf(owner: string): QueueWorker {
    const line = (event: string, sentence: string, fields?: LogFields) => bench.lines.push({ event, sentence, fields });
    const log = { debug: line, info: line, warn: line, error: line };
    const now = () => new Date(time.now());
    const random = randomOf(owner.length);
    const sleep = (ms: number) => time.sleepUntil(time.now() + ms);
    const deps = {
      ...bench.deps,
      random,
      sleep,
      gate: createGate({
        ledger: bench.ledger,
        probe: () => called(probes),
        owner,
        log,
        count: () => {},
        now,
        random,
      }),
      pace: createPacer(options.requestsPerSecond / environments, { monotonicMs: time.now, sleep }),
      createDataset: async () => {
        await called(posts);
        return { id: `dataset-${posts.length}` };
      },
    };
    return {
      handleRecord: (record, context) => handleUploadMessage({ deps, record, context }),
      postpone: async (receiptHandle, delayMs) => {
        const message = messages.find(({ messageId }) => messageId === receiptHandle);
        if (message !== undefined) message.visibleAtMs = time.now() + Math.ceil(delayMs / 1000) * 1000;
      },
      recordBudgetMs: 1000,
      reports: { log, count: () => {}, level: () => {}, reportBatch: async () => {} },
      now,
      random,
    };
  }

  async function environment(number: number): Promise<never> {
    const worker = workerOf('e'.repeat(number));
    for (let batches = 0; ; batches += 1) {
      const batch = receive();
      if (batch.length === 0) {
        const next = Math.min(...messages.map(({ visibleAtMs }) => visibleAtMs));
        await time.sleepUntil(Math.max(next, time.now() + 1000));
        continue;
      }
      const endMs = time.now() + functionMs;
      const { batchItemFailures } = await handleBatch(
        { Records: batch.map(recordOf) },
        { requestId: `${number}-${batches}`, remainingMs: () => endMs - time.now() },
        worker,
      );
      invocationsMs.push(functionMs - (endMs - time.now()));
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const message of batch) if (!failed.has(message.messageId)) messages.splice(messages.indexOf(message), 1);
    }
  }

  return {
    ...bench,
    startMs,
    messages,
    deadLetters,
    posts,
    probes,
    invocationsMs,
    functionMs,
    /** Runs for some hours against a gateway that answers so. */
    async run(hours: number, gateway: GatewayAt): Promise<void> {
      gatewayAt = gateway;
      for (let number = 1; number <= environments; number += 1) void environment(number);
      await time.runUntil(startMs + hours * 3_600_000);
    },
    /** States of the uploads, each with how many there are. */
    states: () => Map.groupBy(uploadRows(), ({ state }) => state),
  };

  function uploadRows() {
    return bench.ledger.all().filter((row) => row.kind === 'upload');
  }
}

/** The most of these instants that fall into any window of this length. */
export function mostWithin(windowMs: number, instants: readonly number[]): number {
  return Math.max(0, ...instants.map((from) => instants.filter((at) => at >= from && at < from + windowMs).length));
}

function csvOf(index: number): string {
  return `prompt,label\nignore rule ${index},true\nwhat is the time?,false\n`;
}

/** Park and Miller's generator: the same numbers each time. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function recordOf({ messageId, body, receiveCount, sentAtMs }: Message): SQSRecord {
  return {
    messageId,
    body,
    receiptHandle: messageId,
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: String(sentAtMs),
      SenderId: 'x',
      ApproximateFirstReceiveTimestamp: String(sentAtMs),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:uploads',
    awsRegion: 'eu-west-1',
  };
}
