import { onTestFinished } from 'vitest';
import { listingOf } from '#functions/poll-scanner-packages/walk/listing.ts';
import type { GatewayClientOptions } from '#shared/gateway-client/index.ts';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { aWatch, createPollBench } from '../../unit/functions/poll-scanner-packages/poll-bench.ts';
import { keptTheToken } from './kept-promises.ts';
import type { RawGateway } from './raw-gateway.ts';

/** The poll of one watch over real sockets. After the test it must have kept the token to itself. */
export function pollsOf(gateway: RawGateway, options: Partial<GatewayClientOptions> = {}) {
  const client = clientOf(gateway.baseUrl, options);
  const bench = createPollBench(aWatch());
  onTestFinished(() => {
    keptTheToken(bench.ledger.all(), bench.logged, bench.events, bench.commands);
  });
  return {
    ...bench,
    poll: () => bench.poll([], { deps: { listing: listingOf(client) } }),
    /** The ids that the ledger knows, sorted. */
    known: () =>
      bench.ledger
        .all()
        .flatMap((row) => (row.kind === 'watch-chunk' ? Object.keys(row.packages) : []))
        .toSorted(),
  };
}

/** The cursors of the listing's requests so far; undefined for a first page. */
export function cursorsOf(gateway: RawGateway): (string | undefined)[] {
  return gateway.requests.map(({ path }) => new URL(path, gateway.baseUrl).searchParams.get('cursor') ?? undefined);
}
