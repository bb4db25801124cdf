import { openGate } from '#functions/_gateway/gate.ts';
import { listingOf } from '#functions/poll-scanner-packages/walk-packages.ts';
import { pollWatch } from '#functions/poll-scanner-packages/poll-watch.ts';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { change } from './change.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Which listing is polled, and what is known of it. */
export interface PollTask {
  /** The responder, with a prefix if the listing is to differ (`packages-page.ts`). */
  readonly origin: string;
  readonly pages: number;
  readonly ledger: Ledger;
}

/**
 * One poll of `poll-scanner-packages` after another over a listing of so many pages. The product's
 * client, its fingerprints, and their comparison with what the ledger knows.
 * @returns a function that polls once and says how many packages were reported as changed; it fails
 *   if a poll was not complete
 */
export function createPoll({ origin, pages, ledger }: PollTask): () => Promise<number> {
  const tokenProvider = { get: async () => change.token, refresh: async () => change.token };
  const gateway = createGatewayClient({ baseUrl: origin, tokenProvider, onRequest: () => {} });
  let polls = 0;
  return async () => {
    polls += 1;
    const answer = await pollWatch(
      {
        name: 'vendor',
        every: 'PT15M',
        expression: 'rate(15 minutes)',
        filters: { search: String(pages) },
        onChange: [],
      },
      {
        listing: listingOf(gateway),
        ledger,
        gate: openGate,
        commands: { send: async () => {} },
        bus: { publish: async () => {} },
        reports: { log: quiet, count: () => {} },
        now: () => new Date(),
        remainingMs: () => 840_000,
        attemptId: `poll-${polls}`,
      },
    );
    if (answer['pages'] !== pages) throw new Error(`the poll saw ${String(answer['pages'])} of ${pages} pages`);
    return Number(answer['changes']);
  };
}
