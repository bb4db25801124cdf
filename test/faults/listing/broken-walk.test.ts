import { describe, expect, it } from 'vitest';
import type { GatewayClientOptions } from '#shared/gateway-client/index.ts';
import { answerWell, refuse, reset } from '../bench/doings.ts';
import type { Doing } from '../bench/doings.ts';
import { cursorsOf, pollsOf } from '../bench/workers.ts';
import { type RawGateway, startRawGateway } from '../bench/raw-gateway.ts';

/** Three pages of two packages. */
const pages: Readonly<Record<string, { readonly packages: readonly object[]; readonly next?: string }>> = {
  first: { packages: named('p1', 'p2'), next: 'c1' },
  c1: { packages: named('p3', 'p4'), next: 'c2' },
  c2: { packages: named('p5', 'p6') },
};
const all = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'];

function named(...ids: readonly string[]) {
  return ids.map((id) => ({ id, name: id }));
}

/** A watch that has seen all six, and the requests made for that left out. */
async function seenOnce(options: Partial<GatewayClientOptions> = {}) {
  const gateway = await startRawGateway({ page: (cursor) => pages[cursor ?? 'first'] });
  const bench = pollsOf(gateway, options);
  await bench.poll();
  const before = gateway.requests.length;
  return { gateway, bench, asked: () => cursorsOf(gateway).slice(before) };
}

/** Does these from the second page on. */
function atPageTwo(gateway: RawGateway, ...doings: readonly Doing[]): void {
  gateway.next(answerWell, ...doings);
}

describe('a walk that is broken at its second page', () => {
  it.each([
    ['[B3] a 500 at the second page', refuse(500)],
    ['[B3] a 503 at the second page', refuse(503)],
    ['[B3] a reset at the second page', reset],
  ])('%s is asked for again, and the walk does not begin again', async (_name, doing) => {
    const { gateway, bench, asked } = await seenOnce();
    atPageTwo(gateway, doing, doing);

    await bench.poll();

    expect(asked()).toEqual([undefined, 'c1', 'c1', 'c1', 'c2']);
    expect(bench.events).toEqual([]);
  });

  it('[B3] a 401 at the second page for an old token goes on there with the new one', async () => {
    const { gateway, bench, asked } = await seenOnce({
      tokenProvider: { get: async () => 'old-token', refresh: async () => 'new-token' },
    });
    atPageTwo(gateway, refuse(401));

    await bench.poll();

    expect(asked()).toEqual([undefined, 'c1', 'c1', 'c2']);
    expect(gateway.requests.at(-2)?.headers['authorization']).toBe('Bearer new-token');
    expect(bench.known()).toEqual(all);
  });

  it.each<readonly [string, Doing, 'fulfilled' | 'rejected', number]>([
    ['[B3] a 401 at the second page that stays', refuse(401), 'rejected', 1],
    ['[B3] a 429 at the second page', refuse(429, {}, { 'retry-after': '60' }), 'fulfilled', 1],
    ['[B3] a 500 at the second page that stays', refuse(500), 'rejected', 3],
  ])('%s ends the poll, and what was not listed is not taken for removed', async (_name, doing, how, requests) => {
    const { gateway, bench, asked } = await seenOnce();
    const ends = [];

    gateway.always(doing);
    for (const _ of [1, 2, 3]) {
      gateway.next(answerWell);
      ends.push(...(await Promise.allSettled([bench.poll()])));
    }
    gateway.always(answerWell);
    await bench.poll();

    expect(ends.map(({ status }) => status)).toEqual([how, how, how]);
    const cutOff = [undefined, ...Array<string>(requests).fill('c1')];
    expect(asked()).toEqual([...cutOff, ...cutOff, ...cutOff, undefined, 'c1', 'c2']);
    expect(bench.known()).toEqual(all);
    expect(bench.events).toEqual([]);
    expect(bench.commands).toEqual([]);
  });
});
