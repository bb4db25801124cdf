import * as z from 'zod';
import type { StageProcess } from './stage-process.ts';

/** Whatever has a gateway with a control surface. */
type Controlled = Pick<StageProcess, 'control'>;

const datasets = z.object({
  datasets: z.array(z.looseObject({ id: z.string(), name: z.string().nullish(), fileId: z.string().nullish() })),
});
const requests = z.object({
  requests: z.array(z.object({ method: z.string(), path: z.string(), body: z.string().nullish() })),
});
const campaignRuns = z.object({
  campaignRuns: z.array(
    z.looseObject({
      id: z.string(),
      campaignId: z.string().nullish(),
      name: z.string().nullish(),
      status: z.string().nullish(),
      startAt: z.string().nullish(),
      transitions: z.array(z.looseObject({ to: z.string().nullish() })),
    }),
  ),
});

/** The datasets that the gateway holds. */
export async function datasetsOf(stage: Controlled) {
  return datasets.parse(await stage.control('/datasets')).datasets;
}

/** What the gateway was sent. */
export async function requestsOf(stage: Controlled) {
  return requests.parse(await stage.control('/requests?limit=10000')).requests;
}

/** Every campaign run at the gateway, with the words that its status went through. */
export async function runsOf(stage: Controlled) {
  const runs = campaignRuns.parse(await stage.control('/campaign-runs')).campaignRuns;
  return runs.map((run) => ({ ...run, words: run.transitions.map((transition) => transition.to) }));
}
