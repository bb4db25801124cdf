import { describe, expect, it, vi } from 'vitest';
import type { Log } from '#functions/_handler/log.ts';
import type { Outcome } from '#functions/_handler/outcome.ts';
import { reportOnce } from '#functions/_handler/report-once.ts';

const outcome: Outcome = { kind: 'parked', subject: 'a.csv', reason: 'BAD_KEY' };
const fails = async () => Promise.reject(new Error('the bus is not there'));

function createDelivery() {
  const info = vi.fn<Log['info']>();
  const error = vi.fn<Log['error']>();
  const log: Log = { debug: info, info, warn: info, error };
  return {
    info,
    error,
    delivery: { record: { messageId: 'm1', receiveCount: 1 }, context: { log }, random: () => 0.5 },
  };
}

describe('an outcome that is in the ledger', () => {
  it('is reported by the delivery that recorded it', async () => {
    const { delivery, info } = createDelivery();

    const result = await reportOnce(outcome, { isRepeat: false, followUp: async () => {} }, delivery);

    expect(result).toEqual({ kind: 'done', outcomes: [outcome] });
    expect(info).not.toHaveBeenCalled();
  });

  it('is not reported again by a redelivery, which says so', async () => {
    const { delivery, info } = createDelivery();

    const result = await reportOnce(outcome, { isRepeat: true, followUp: async () => {} }, delivery);

    expect(result).toEqual({ kind: 'done', outcomes: [] });
    expect(info).toHaveBeenCalledWith('repeated', expect.any(String), expect.objectContaining({ outcome: 'parked' }));
  });

  it.each([
    [false, [outcome]],
    [true, []],
  ])(
    'sends its message back when a follow-up fails, and is reported once all the same (repeat: %s)',
    async (isRepeat, outcomes) => {
      const { delivery, error } = createDelivery();

      const result = await reportOnce(outcome, { isRepeat, followUp: fails }, delivery);

      expect(result).toEqual({ kind: 'later', delayMs: 22_500, why: 'Error: the bus is not there', outcomes });
      expect(error).toHaveBeenCalledWith('failed', expect.stringContaining('the bus is not there'), expect.anything());
    },
  );
});
