import type { CallDeps } from './send-patch.ts';

/** The gateway of a stage that only observes: it is read as always, and a PATCH is answered as applied, without a request. */
export function observedGateway({ getCampaign }: CallDeps['gateway']): CallDeps['gateway'] {
  return {
    getCampaign,
    async updateCampaignRun({ campaignRunId, name, preserve, startAt, status }) {
      const body = JSON.stringify({ name, preserve, startAt, status });
      return { message: `would have sent: PATCH /backend/v1/campaign-runs/${campaignRunId} ${body}` };
    },
  };
}
