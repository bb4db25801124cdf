import { listingOf } from '#functions/poll-scanner-packages/walk-packages.ts';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import type { Prepare } from '../measure/subject.ts';
import { change } from './change.ts';

/** The pages as the product's client gives them, checked, and nothing done with them. */
export const prepare: Prepare = async ({ origin, pages = 1000 }) => {
  const tokenProvider = { get: async () => change.token, refresh: async () => change.token };
  const listing = listingOf(createGatewayClient({ baseUrl: origin, tokenProvider, onRequest: () => {} }));
  return {
    async run(times) {
      for (let walk = 0; walk < times; walk += 1) {
        let seen = 0;
        for await (const { packages } of listing({ search: String(pages) }, { cursor: undefined, pages: 0 })) {
          seen += packages.length;
        }
        if (seen !== pages * 100) throw new Error(`${seen} packages of ${pages} pages`);
      }
    },
  };
};
