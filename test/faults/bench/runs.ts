import { onTestFinished } from 'vitest';
import type { GatewayClientOptions } from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import {
  aCommand,
  campaignId,
  createUpdateBench,
  smokeId,
} from '../../unit/functions/update-campaign-runs/harness/update-bench.ts';
import { askedWithinBounds, keptTheToken, parkedWithReasons } from './kept-promises.ts';
import type { RawGateway } from './raw-gateway.ts';

/** The start that these tests are about. */
export const start = aCommand();
/** Its stop, ten minutes later. */
export const stop = aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:04:00Z' });

/** A campaign that can be read back. */
export const readableCampaign = { campaignId, confirm: { by: 'runCount', within: 'PT30M' } } as const;

/**
 * The worker that changes runs, over real sockets. After the test it must have kept what holds whatever happens: I13, I18 and I19.
 * @param campaign - @default a campaign that cannot be read back
 */
export function runsTo(
  gateway: RawGateway,
  options: Partial<GatewayClientOptions> = {},
  campaign: Partial<typeof readableCampaign> = {},
) {
  const client = clientOf(gateway.baseUrl, options);
  const bench = createUpdateBench({ gateway: client, ...campaign });
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
    /** Ids of the runs that count as in flight, those in doubt among them. */
    inFlight: async () => (await readRunsInFlight(bench.ledger, bench.now())).map(({ row }) => row.campaignRunId),
    command: (id: string) => bench.ledger.read<CommandRow>(ledgerKeys.command(id)),
    /** The PATCH requests that arrived. */
    patches: () => gateway.requests.filter(({ method }) => method === 'PATCH'),
    /** What became of the run at the gateway. */
    transitions: () => gateway.transitions.map((transition) => transition.replace(`${smokeId}:`, '')),
  };
}
