import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import type { createUpdateBench, Delivery } from './update-bench.ts';

/**
 * One delivery to a worker that is killed right after the nth of its effects (a write, a request, an event). From then on nothing that it does has an
 * effect any more. Killed after 0 effects, it does not even read.
 */
export function mortalWorker(
  bench: ReturnType<typeof createUpdateBench>,
  { killAfter }: { readonly killAfter: number },
): Pick<Delivery, 'ledger' | 'gateway' | 'bus'> {
  let effects = 0;
  let isDead = killAfter === 0;

  async function alive<Result>(call: () => Promise<Result>, isEffect = false): Promise<Result> {
    if (isDead) throw new Error('killed');
    // Settled first: a gateway that does not answer has seen the request all the same.
    const [settled] = await Promise.allSettled([call()]);
    // A write that another worker was ahead of changes nothing.
    const hadEffect = isEffect && !(settled.status === 'fulfilled' && settled.value === 'row-changed');
    effects += hadEffect ? 1 : 0;
    isDead ||= hadEffect && effects === killAfter;
    if (isDead) throw new Error('killed');
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  }

  const { ledger, gateway } = bench;
  return {
    ledger: {
      read: async <Row extends LedgerRow>(pk: string) => alive(async () => ledger.read<Row>(pk)),
      readMany: async (pks) => alive(async () => ledger.readMany(pks)),
      write: async (before, after) => alive(async () => ledger.write(before, after), true),
      writeAll: async (changes) => alive(async () => ledger.writeAll(changes), true),
      listOpen: async (state, page) => ledger.listOpen(state, page),
    },
    gateway: {
      updateCampaignRun: async (input) => alive(async () => gateway.updateCampaignRun(input), true),
      getCampaign: async (input) => alive(async () => gateway.getCampaign(input)),
      readCampaignRun: async (input) => alive(async () => gateway.readCampaignRun(input)),
    },
    bus: { publish: async (type, detail) => alive(async () => void bench.events.push({ type, detail }), true) },
  };
}
