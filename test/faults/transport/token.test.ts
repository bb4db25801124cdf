import { describe, expect, it } from 'vitest';
import { answerWell, refuse } from '../bench/doings.ts';
import type { Doing } from '../bench/doings.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import { putMany, runsTo, start, uploadsTo } from '../bench/workers.ts';
const knowsNewToken: Doing = (exchange) => {
  const isNew = exchange.request.headers['authorization'] === 'Bearer new-token';
  (isNew ? answerWell : refuse(401, { message: 'revoked' }))(exchange);
};

/**
 * A gateway that knows the new token alone, and a secret that was changed after the environment had
 * read it.
 */
async function rotated() {
  const gateway = await startRawGateway();
  gateway.always(knowsNewToken);
  let current = 'old-token';
  let reads = 0;
  const tokenProvider = {
    get: async () => current,
    refresh: async () => {
      reads += 1;
      current = 'new-token';
      return current;
    },
  };
  return { gateway, options: { tokenProvider }, reads: () => reads };
}

describe('a token that was rotated, with the old one revoked at once', () => {
  it('[A20] a rotated token is read again once: every upload is registered once, at its first delivery', async () => {
    const { gateway, options, reads } = await rotated();
    const bench = uploadsTo(gateway, options);

    const results = [];
    for (const body of putMany(bench, 5)) results.push(await bench.deliver(body));

    expect(results.flatMap(({ outcomes = [] }) => outcomes.map(({ kind }) => kind))).toEqual(Array(5).fill('applied'));
    expect([...gateway.datasets.values()]).toEqual([1, 1, 1, 1, 1]);
    expect(reads()).toBe(1);
    expect(gateway.requests).toHaveLength(6);
  });

  it('[A20] a rotated token does not keep a run from being started, once', async () => {
    const { gateway, options } = await rotated();
    const bench = runsTo(gateway, options);

    const result = await bench.deliver(start);

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.transitions()).toEqual(['starts']);
    expect(gateway.requests).toHaveLength(2);
  });
});
