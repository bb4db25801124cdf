import { describe, expect, test, vi } from 'vitest';
import { createDatasetPost } from '#functions/register-datasets/send/send-dataset.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import type { RecordResult } from '#functions/_handler/queue-record.ts';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { createUploadBench, type UploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import { afterApplying, answerWell, type Doing, end, keepSilent, reset } from '../bench/doings.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import { killedAt, type KillPoint, killPoints } from './kill-points.ts';

const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
/** Longer than any lease. */
const leaseMs = 200_000;

const gateways: Readonly<Record<string, Doing>> = {
  'answers well': answerWell,
  'ends the connection without applying (A7)': end,
  'applies, then resets (A8)': afterApplying(reset),
  'applies, then ends the connection (A9)': afterApplying(end),
  'applies, then never answers (A10)': afterApplying(keepSilent),
};
const parkedUnknown = {
  state: 'PARKED',
  openState: 'PARKED',
  outcome: { kind: 'parked', reason: 'POST_OUTCOME_UNKNOWN', detail: expect.stringMatching(/\w/) },
  parked: { lookFor: 'names', requestId: expect.any(String) },
};
const matrix = Object.entries(gateways).flatMap(([behaviour, doing]) =>
  killPoints.map((point) => ({ behaviour, doing, point })),
);

const reached = new Set<KillPoint>();

/** One delivery to a worker that is killed at a point. @returns undefined if it was */
async function deliverAndKill(
  bench: UploadBench,
  body: string,
  point: KillPoint,
  requestArrived: () => Promise<void>,
): Promise<RecordResult | undefined> {
  let isDead = false;
  const die = (): never => {
    isDead = true;
    reached.add(point);
    throw new Error('killed');
  };
  const { deps, log } = killedAt(point, die, { deps: bench.deps, log: quiet, requestArrived });
  const record = {
    messageId: 'message-1',
    body,
    // Only from the second delivery on is the claim written.
    receiveCount: point === 'before_claim' || point === 'after_claim' ? 2 : 1,
    sentAt: new Date(bench.state.nowMs),
    queueArn: 'arn:aws:sqs:eu-west-1:123456789012:uploads',
  };
  const context = { log, now: () => new Date(bench.state.nowMs), remainingMs: () => 120_000, attemptId: 'the-victim' };
  const result = await handleUploadMessage({ deps, record, context }).catch(() => undefined);
  return isDead ? undefined : result;
}

/**
 * Delivers as the queue does until the message is acknowledged, and once more: its acknowledgement
 * may be lost.
 */
async function drain(bench: UploadBench, body: string): Promise<void> {
  for (let delivery = 3; delivery < 9; delivery += 1) {
    bench.pass(leaseMs);
    const result = await bench.deliver(body, { receiveCount: delivery });
    if (result.kind === 'later') continue;
    await bench.deliver(body, { receiveCount: delivery + 1 });
    return;
  }
  throw new Error('never acknowledged');
}

describe('a worker of uploads that is killed', () => {
  test.each(matrix)(
    '[F10 C5] at $point, with a gateway that $behaviour: one outcome, at most one dataset, a reason if it is parked',
    async ({ doing, point }) => {
      const gateway = await startRawGateway();
      gateway.next(doing);
      const bench = createUploadBench();
      bench.deps.budget = () => ({ postMs: 150, ledgerMs: 50 });
      bench.deps.createDataset = createDatasetPost({
        baseUrl: gateway.baseUrl,
        tokenProvider: { get: async () => 'token', refresh: async () => 'token' },
        log: quiet,
        random: () => 0,
      });
      const body = bench.put(upload);
      const requestArrived = () =>
        vi.waitFor(() => expect(gateway.requests.length).toBe(1), { timeout: 120_000, interval: 2 });

      await deliverAndKill(bench, body, point, requestArrived);
      // From here on the gateway is well: whatever is sent again is made again.
      await drain(bench, body);

      const row = await bench.row(upload);
      const made = [...gateway.datasets.values()].reduce((sum, count) => sum + count, 0);
      expect(made).toBeLessThanOrEqual(1);
      const isApplied = row?.state === 'APPLIED';
      expect(row).toMatchObject(isApplied ? { outcome: { kind: 'applied' }, datasetId: 'ds-1' } : parkedUnknown);
      expect(row?.parked?.message ?? body).toBe(body);
      expect(isApplied ? made : 1).toBe(1);
      expect(parkReasons.POST_OUTCOME_UNKNOWN.nextStep).toMatch(/\w/);
      expect(new Set(bench.events.map(({ detail }) => detail.eventId)).size).toBe(1);
      expect(new Set(bench.commands).size).toBe(isApplied ? 1 : 0);
    },
  );

  test('[F10] was killed at each of the points', () => {
    expect([...reached].toSorted()).toEqual(killPoints.toSorted());
  });
});
