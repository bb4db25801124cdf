import { expect, test } from 'vitest';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import type { UploadDeps } from '#functions/register-datasets/upload.ts';
import { createUploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';

const minuteMs = 60_000;
const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const skews = [-60, -5, 5, 60].map((minutes) => minutes * minuteMs);
/**
 * Effects of a good registration: reservation, mark, request, outcome, command, event; of a second
 *   delivery a claim before them.
 */
const moments = [1, 2, 3, 4, 5, 6, 7];

/** The parts, with something done after their nth effect: a write, the request, a message. */
function afterEffect(deps: UploadDeps, nth: number, then: () => Promise<unknown>): UploadDeps {
  let effects = 0;
  const counted = async <Result>(make: () => Promise<Result>): Promise<Result> => {
    const result = await make();
    effects += 1;
    if (effects === nth) await then();
    return result;
  };
  return {
    ...deps,
    ledger: { ...deps.ledger, write: (before, after) => counted(() => deps.ledger.write(before, after)) },
    createDataset: (input, budget) => counted(() => deps.createDataset(input, budget)),
    commands: { send: (body) => counted(() => deps.commands.send(body)) },
    bus: { publish: (type, detail) => counted(() => deps.bus.publish(type, detail)) },
  };
}

test.each(skews.flatMap((skewMs) => moments.map((moment) => ({ minutes: skewMs / minuteMs, skewMs, moment }))))(
  '[F8 C1] a second worker whose clock is $minutes minutes off, at effect $moment of the first: one dataset, one outcome',
  async ({ skewMs, moment }) => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    const record = { messageId: 'm', body, receiveCount: 1, sentAt: new Date(bench.state.nowMs), queueArn: 'uploads' };
    const deliver = (attemptId: string, offsetMs: number, deps: UploadDeps) =>
      handleUploadMessage(deps, record, {
        log,
        attemptId,
        now: () => new Date(bench.state.nowMs + offsetMs),
        remainingMs: () => bench.state.remainingMs,
      });

    await deliver(
      'first',
      0,
      afterEffect(bench.deps, moment, () => deliver('second', skewMs, bench.deps)),
    );
    for (let delivery = 2; delivery < 6; delivery += 1) {
      bench.pass(90 * minuteMs);
      await bench.deliver(body, { receiveCount: delivery });
    }

    expect(bench.posts.length).toBeLessThanOrEqual(1);
    const row = await bench.row(upload);
    expect(row?.outcome?.reason ?? row?.state).toMatch(/^(?:APPLIED|POST_OUTCOME_UNKNOWN)$/);
    // The first one was answered: if it still owned its row, or a person only guessed, its id
    // stands.
    expect(bench.posts.length === 0 || row?.state === 'APPLIED').toBe(true);
  },
);
