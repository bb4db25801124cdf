import { describe, expect, it } from 'vitest';
import { firstBudget, hasTimeToSend, leaseEnd, sendBudget } from '#functions/register-datasets/send/send-budget.ts';

describe('sendBudget', () => {
  it('gives 45 s and 5 s to a function of 120 s', () => {
    expect(sendBudget(120_000)).toEqual({ postMs: 45_000, ledgerMs: 5_000 });
  });

  it('fits a stage of short numbers', () => {
    expect(sendBudget(5_000)).toEqual({ postMs: 2_000, ledgerMs: 1_000 });
    expect(hasTimeToSend(sendBudget(5_000), 5_000)).toBe(true);
  });

  it('lets nothing begin that the platform could cut', () => {
    expect([hasTimeToSend(sendBudget(120_000), 50_000), hasTimeToSend(sendBudget(120_000), 49_999)]).toEqual([
      true,
      false,
    ]);
  });

  it('is fixed by the first attempt of an environment', () => {
    const budget = firstBudget();

    expect([budget(120_000).postMs, budget(9_000).postMs]).toEqual([45_000, 45_000]);
  });
});

describe('leaseEnd', () => {
  it('outlives the function by half a minute', () => {
    expect(leaseEnd(new Date('2026-11-20T10:00:00.000Z'), 120_000)).toBe('2026-11-20T10:02:30.000Z');
  });
});
