import type { UpdateDeps } from './deps.ts';

/** The gateway of a stage that only observes: it is read as always, and a PATCH is answered with what it would have been, without a request. */
export function observedGateway(gateway: UpdateDeps['gateway']): UpdateDeps['gateway'] {
  return {
    getCampaign: gateway.getCampaign,
    async updateCampaignRun({ campaignRunId, name, preserve, startAt, status }) {
      const body = JSON.stringify({ name, preserve, startAt, status });
      return { message: `would have sent: PATCH /backend/v1/campaign-runs/${campaignRunId} ${body}` };
    },
  };
}
