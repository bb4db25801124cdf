import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MalformedTokenError } from '#shared/gateway-client/index.ts';
import { assertBearerToken } from '#shared/gateway-client/options.ts';
import { createRetryBudget } from '#shared/gateway-client/retry-timing.ts';

describe('assertBearerToken', () => {
  it('takes what real tokens are made of', () => {
    expect(() => assertBearerToken('eyJhbGciOi.J9-_~+/==')).not.toThrow();
  });

  it.each([
    '',
    'canary\n',
    'canary\r\nx: y',
    'Bearer canary',
    'can ary',
    'canary\u0000',
    'canaryü',
    `canary${'x'.repeat(8192)}`,
    42,
    undefined,
  ])('refuses %o without showing it', (token) => {
    let thrown: unknown;
    try {
      assertBearerToken(token);
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toBeInstanceOf(MalformedTokenError);
    expect(inspect(thrown, { depth: null })).not.toMatch(/canary|can ary/);
  });
});

describe('createRetryBudget', () => {
  it('lets a burst through, then a tenth of the good answers', () => {
    const budget = createRetryBudget();

    const burst = Array.from({ length: 12 }, () => budget.take()).filter(Boolean).length;
    for (let answers = 0; answers < 11; answers += 1) budget.refill();

    expect(burst).toBe(10);
    expect([budget.take(), budget.take()]).toEqual([true, false]);
  });
});
