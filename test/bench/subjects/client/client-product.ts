import { createGatewayWithin } from '#functions/_gateway/gateway-calls.ts';
import type { Prepare } from '../../measure/subject.ts';
import { change } from '../change.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const functionMs = 30_000;

/**
 * The product's gateway client as the functions make it: token, request id, deadlines, checked
 * answer, proof of what was sent.
 */
export const prepare: Prepare = async ({ origin }) => {
  const tokenProvider = { get: async () => change.token, refresh: async () => change.token };
  const { gateway } = createGatewayWithin({ baseUrl: origin, tokenProvider, log: quiet })(functionMs);
  const { campaignRunId, status } = change;
  return {
    async run(times) {
      for (let call = 0; call < times; call += 1) await gateway.updateCampaignRun({ campaignRunId, status });
    },
  };
};
