import { onTestFinished } from 'vitest';
import { type CommandItem, ledgerKeys, type RunItem } from '../../../shared/ledger/items.ts';
import type { GatewayClientOptions } from '../../../shared/gateway-client/index.ts';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { aCommand, createUpdateBench, smokeId } from '../../unit/functions/update-campaign-runs/update-bench.ts';
import { askedWithinBounds, keptTheToken, parkedWithReasons } from './kept-promises.ts';
import type { RawGateway } from './raw-gateway.ts';

/** The start that these tests are about. */
export const start = aCommand();
/** Its stop, ten minutes later. */
export const stop = aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:04:00Z' });

/** The worker that changes runs, over real sockets. After the test it must have kept what holds whatever happens: I3, I5 and I6. */
export function runsTo(gateway: RawGateway, options: Partial<GatewayClientOptions> = {}) {
  const client = clientOf(gateway.baseUrl, options);
  const bench = createUpdateBench({ gateway: client });
  let deliveries = 0;
  onTestFinished(() => {
    parkedWithReasons(bench.ledger.all());
    askedWithinBounds(gateway, 'PATCH', deliveries);
    keptTheToken(bench.ledger.all(), bench.events);
  });
  return {
    ...bench,
    deliver: (...args: Parameters<typeof bench.deliver>) => {
      deliveries += 1;
      return bench.deliver(...args);
    },
    run: () => bench.ledger.read<RunItem>(ledgerKeys.run(smokeId)),
    command: (id: string) => bench.ledger.read<CommandItem>(ledgerKeys.command(id)),
    /** What became of the run at the gateway. */
    transitions: () => gateway.transitions.map((transition) => transition.replace(`${smokeId}:`, '')),
  };
}
