import { expect, it } from 'vitest';
import { aroundPosts, callTimes, createGatewayWithin } from '#functions/_gateway/gateway-calls.ts';

it.each([
  [120_000, { totalMs: 45_000, budgetMs: 50_000 }],
  [5_000, { totalMs: 2_000, budgetMs: 3_000 }],
])('a POST and the write of its result fit into a function of %d ms', (functionMs, times) => {
  expect(callTimes(functionMs, aroundPosts)).toEqual(times);
});

it('the times of calls are fixed by the first attempt of an environment', () => {
  const tokenProvider = { get: async () => 'token', refresh: async () => 'token' };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const gatewayWithin = createGatewayWithin({ baseUrl: 'http://127.0.0.1:9', tokenProvider, log }, aroundPosts);

  expect([gatewayWithin(120_000).callBudgetMs, gatewayWithin(9_000).callBudgetMs]).toEqual([50_000, 50_000]);
});
