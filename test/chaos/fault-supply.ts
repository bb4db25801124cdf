import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { GatewayControl } from './gateway-control.ts';
import { drawFault, requestsBeforeFault } from './gateway-faults.ts';
import type { SeededRandom } from './events/seeded-random.ts';

/** So many faults are armed ahead: more than requests meet in the time of two looks. */
const armedAhead = 40;
const lookEveryMs = 250;

const armedFaults = z.object({
  faults: z.array(z.object({ id: z.string(), skip: z.number(), remaining: z.union([z.number(), z.string()]) })),
});

/** Keeps faults armed at the gateway until it is stopped. */
export interface FaultSupply {
  /** Faults that have struck a request, as of the last look. */
  readonly struck: () => number;
  /** Disarms what is left; resolves when that is done. */
  readonly stop: () => Promise<void>;
}

/**
 * Arms one fault after the other, each for one request, so that a request is struck with this probability. A fault lets as many requests
 * through as those armed before it and itself were drawn to: the registry counts only requests that no earlier fault has struck.
 */
export async function supplyFaults(
  control: GatewayControl,
  probability: number,
  random: SeededRandom,
): Promise<FaultSupply> {
  if (probability === 0) return { struck: () => 0, stop: async () => {} };
  const ending = new AbortController();
  let struck = 0;

  async function topUp(): Promise<void> {
    const { faults } = armedFaults.parse(await control.get('/faults'));
    const armed = faults.filter(({ remaining }) => remaining !== 0);
    for (const { id } of faults.filter(({ remaining }) => remaining === 0)) {
      struck += 1;
      await control.send('DELETE', `/faults/${id}`);
    }
    let skip = armed.at(-1)?.skip ?? 0;
    for (let count = armed.length; count < armedAhead; count += 1) {
      skip += requestsBeforeFault(probability, random);
      await control.send('POST', '/faults', { ...drawFault(random), skip });
    }
  }

  async function keepArmed(): Promise<void> {
    while (!ending.signal.aborted) {
      await sleep(lookEveryMs, undefined, { signal: ending.signal }).catch(() => {});
      if (!ending.signal.aborted) await topUp();
    }
  }

  await topUp();
  const running = keepArmed();
  return {
    struck: () => struck,
    async stop() {
      ending.abort();
      await running;
      await control.send('DELETE', '/faults');
    },
  };
}
