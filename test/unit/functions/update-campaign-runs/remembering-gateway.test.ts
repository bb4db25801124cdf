import { expect, test } from 'vitest';
import type { GatewayCallDeps } from '#functions/update-campaign-runs/send-patch.ts';
import { BadStatusError } from '#shared/gateway-client/index.ts';
import { aCommand, createUpdateBench, nightlyIds, smokeId, surelyLandedMs } from './harness/update-bench.ts';

/**
 * A gateway that honours `Idempotency-Key` as Stripe documents it
 * (https://docs.stripe.com/api/idempotent_requests). The first answer to a key is given again, a
 * failure too, and another request under it is refused. The interface knows no such key today.
 */
function remembering(gateway: GatewayCallDeps['gateway']): GatewayCallDeps['gateway'] {
  const answers = new Map<
    string,
    { readonly asked: string; readonly answer: ReturnType<typeof gateway.updateCampaignRun> }
  >();
  return {
    ...gateway,
    async updateCampaignRun({ idempotencyKey, requestId, ...asked }) {
      const input = { ...asked, ...(requestId === undefined ? {} : { requestId }) };
      if (idempotencyKey === undefined) return gateway.updateCampaignRun(input);
      const known = answers.get(idempotencyKey);
      if (known === undefined) {
        const answer = gateway.updateCampaignRun({ ...input, idempotencyKey });
        answers.set(idempotencyKey, { asked: JSON.stringify(asked), answer });
        return answer;
      }
      if (known.asked === JSON.stringify(asked)) return known.answer;
      throw new BadStatusError('PATCH', { status: 422, details: { text: 'key of another request', fields: [] } });
    },
  };
}

const stop = aCommand({ id: 'stop', run: 'nightly', action: 'stop', issuedAt: '2026-11-20T22:04:00Z' });

test('a stop by name stops every run, also if the gateway refuses another request under the same key', async () => {
  const bench = createUpdateBench({ overlap: 'allow' });
  const gateway = remembering(bench.gateway);
  await bench.deliver(aCommand({ id: 'a', run: 'nightly' }), { gateway });
  await bench.deliver(aCommand({ id: 'b', run: 'nightly', issuedAt: '2026-11-20T22:00:01Z' }), { gateway });

  const result = await bench.deliver(stop, { gateway });

  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(nightlyIds.map((id) => bench.statuses.get(id))).toEqual(['stopped', 'stopped']);
});

test('a stop that was answered with a failure is done by its next try, also if the gateway gives the first answer to a key again', async () => {
  const bench = createUpdateBench();
  const gateway = remembering(bench.gateway);
  await bench.deliver(aCommand({ run: 'nightly' }), { gateway });
  bench.answerWith({ status: 503, text: 'busy' });
  await bench.deliver(stop, { gateway });

  bench.passMs(surelyLandedMs);
  const result = await bench.deliver(stop, { gateway, receiveCount: 2 });

  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.statuses.get(nightlyIds[0])).toBe('stopped');
});

test('a start that lands after its stop is stopped once more, also if the gateway gives the first answer to a key again', async () => {
  const bench = createUpdateBench();
  const gateway = remembering(bench.gateway);
  bench.answerWith({ lateMs: 240_000 });
  await bench.deliver(aCommand(), { gateway });
  bench.passMs(61_000);
  const early = { ...stop, run: 'smoke', issuedAt: '2026-11-20T22:00:30Z' };

  // A stop waits for a minute at most between two tries.
  for (let receiveCount = 1; receiveCount < 10; receiveCount += 1) {
    const result = await bench.deliver(early, { gateway, receiveCount });
    if (result.kind === 'later') bench.passMs(result.delayMs);
  }

  expect(bench.transitions).toEqual(['aa:stopped', 'aa:running', 'aa:stopped']);
});

test('every try of a start has the same key, so that such a gateway starts it once', async () => {
  const bench = createUpdateBench({ startsRepeatSafely: true });
  const keys: (string | undefined)[] = [];
  const remembered = remembering(bench.gateway);
  const gateway: typeof remembered = {
    ...remembered,
    async updateCampaignRun(input) {
      keys.push(input.idempotencyKey);
      return remembered.updateCampaignRun(input);
    },
  };
  bench.answerWith('applied-then-lost');
  await bench.deliver(aCommand(), { gateway });
  bench.changeByHand(smokeId, 'complete');

  bench.passMs(surelyLandedMs);
  await bench.deliver(aCommand(), { gateway, receiveCount: 2 });

  expect(bench.transitions).toEqual(['aa:running']);
  expect(keys).toEqual([keys[0], keys[0]]);
});
