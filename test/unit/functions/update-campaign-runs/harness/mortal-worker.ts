import { BadStatusError, NotSentError } from '#shared/gateway-client/index.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { createUpdateBench, Delivery } from './update-bench.ts';

type Wrap = <Arguments extends unknown[], Result>(
  call: (...input: Arguments) => Promise<Result>,
) => (...input: Arguments) => Promise<Result>;

/**
 * What became of a request, as far as its worker lived to know. `refused`: it was proven not
 * applied.
 */
export type Known = 'sent' | 'heard' | 'refused';

/**
 * One delivery to a worker that may be killed right after the nth of its effects (a write, a
 * request, an event). From then on nothing that it does has an effect any more. Killed after 0
 * effects, it does not even read.
 * @param dueTo - when each of its steps happens; @default at once
 * @param note - hears of each request, in order
 */
export function mortalWorker(
  bench: ReturnType<typeof createUpdateBench>,
  options: {
    readonly killAfter?: number;
    readonly dueTo?: Wrap;
    readonly note?: (what: Known, status: string | undefined) => void;
  },
): Pick<Delivery, 'ledger' | 'gateway' | 'bus'> {
  const { killAfter, dueTo = (call) => call, note = () => {} } = options;
  let effects = 0;
  let isDead = killAfter === 0;

  function alive<Arguments extends unknown[], Result>(
    call: (...input: Arguments) => Promise<Result>,
    isEffect: boolean,
  ) {
    return dueTo(async (...input: Arguments) => {
      if (isDead) throw new Error('killed');
      // Settled first: a gateway that does not answer has seen the request all the same.
      const [settled] = await Promise.allSettled([call(...input)]);
      // A write that another worker was ahead of changes nothing.
      const hadEffect = isEffect && !(settled.status === 'fulfilled' && settled.value === 'row-changed');
      effects += hadEffect ? 1 : 0;
      isDead ||= hadEffect && effects === killAfter;
      if (isDead) throw new Error('killed');
      if (settled.status === 'rejected') throw settled.reason;
      return settled.value;
    });
  }

  const { ledger, gateway } = bench;
  const patch = alive(gateway.updateCampaignRun, true);
  const mortal: Ledger = {
    read: <Row extends LedgerRow>(pk: string) => alive(async () => ledger.read<Row>(pk), false)(),
    readMany: (pks) => alive(async () => ledger.readMany(pks), false)(),
    write: (before, after) => alive(async () => ledger.write(before, after), true)(),
    writeAll: (changes) => alive(async () => ledger.writeAll(changes), true)(),
    listOpen: async (state, page) => ledger.listOpen(state, page),
  };
  return {
    ledger: mortal,
    gateway: {
      async updateCampaignRun(input) {
        const { status } = input;
        note('sent', status);
        try {
          const answer = await patch(input);
          note('heard', status);
          return answer;
        } catch (error) {
          if (error instanceof BadStatusError || error instanceof NotSentError) note('refused', status);
          throw error;
        }
      },
      getCampaign: alive(gateway.getCampaign, false),
      readCampaignRun: alive(gateway.readCampaignRun, false),
    },
    bus: { publish: alive(async (type, detail) => void bench.events.push({ type, detail }), true) },
  };
}
