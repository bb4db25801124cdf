import { describe, expect, it } from 'vitest';
import { BadStatusError, NotSentError } from '#shared/gateway-client/index.ts';
import { createRuleShares } from '#functions/register-datasets/send/rule-shares.ts';
import { createHoursBench, mostWithin } from './hours-bench.ts';
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

describe('six hours in which nobody answers', () => {
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

describe('a flood of uploads below one prefix', () => {
  const floodRule = { ...piiRule, prefix: 'datasets/flood/', share: 0.25 };
  const flood = { uploads: 600, rule: floodRule };

  // Uploads below every other prefix used to wait behind it, for days if it was large enough.
  it('takes its share of the rate and no more, and uploads that came after it are registered first', async () => {
    const bench = createHoursBench({ uploads, requestsPerSecond: 0.1, flood });

    await bench.run(1, () => {});

    expect([...bench.states('datasets/pii/')].map(([state, rows]) => [state, rows.length])).toEqual([
      ['APPLIED', uploads],
    ]);
    const registered = bench.states(floodRule.prefix).get('APPLIED') ?? [];
    expect(registered.length).toBeGreaterThan(45);
    expect(registered.length).toBeLessThanOrEqual(92);
    expect(bench.deadLetters).toEqual([]);
  });

  it('is registered to its end, once each, and nothing of it is parked before a day is over', async () => {
    const bench = createHoursBench({ uploads, requestsPerSecond: 0.1, flood });

    await bench.run(12, () => {});

    expect([...bench.states()].map(([state, rows]) => [state, rows.length])).toEqual([['APPLIED', uploads + 600]]);
    expect([bench.posts.length, bench.messages]).toEqual([uploads + 600, []]);
  });

  it('waits with a row that says so, and reads nothing of its files', async () => {
    const bench = createUploadBench({ rules: [floodRule] });
    bench.deps.shares = createRuleShares([floodRule], 1, { monotonicMs: () => 0, sleep: async () => {} });
    const second = { key: `${floodRule.prefix}b.csv`, versionId: 'v1', body: 'prompt,label\nb,true\nx,false\n' };
    await bench.deliver(bench.put({ key: `${floodRule.prefix}a.csv`, versionId: 'v1' }));
    bench.reads.length = 0;

    const result = await bench.deliver(bench.put(second));

    expect(result).toMatchObject({ kind: 'later', why: expect.stringContaining('share of the rate') });
    expect(bench.posts).toHaveLength(1);
    expect(bench.reads).toEqual([]);
    expect(await bench.row(second)).toMatchObject({ state: 'READY', lastError: expect.any(String) });
  });
});
