/** Not in the interface: schedules that make a run, and the list of runs. The profile `real` alone has both. */
import type { Context } from 'hono';
import * as z from 'zod';
import { type GatewayEnvironment, type GatewayParts, notFound } from '../http/environment.ts';
import { listParameter, offsetInstant, readJson, readQuery, textParameter, uuidText } from '../http/request-input.ts';
import { isGiven, runStatuses } from '../store/run-rules.ts';
import { characters } from './bodies.ts';
import { pageOf, pageParameters, pageRequest } from './package-criteria.ts';
import { shownRun } from './read-resources.ts';
import { newId } from './write-resources.ts';

const counted = z.int().min(1).nullish();

function scheduleBody(now: Date) {
  const fields = { name: characters, campaignId: uuidText.toLowerCase(), providerIds: z.array(uuidText).min(1).max(5) };
  const startAt = offsetInstant.refine((text) => new Date(text) > now, 'must be in the future');
  const frequency = z.enum(['days', 'weeks']).nullish();
  return z
    .strictObject({ ...fields, startAt, frequency, interval: counted, count: counted, endAt: offsetInstant.nullish() })
    .refine((body) => !(isGiven(body.count) && isGiven(body.endAt)), { error: 'takes count or endAt, not both' });
}

/** Makes the first run of a schedule, which begins at its `startAt`; this gateway makes no second one. */
export async function acceptSchedule(context: Context<GatewayEnvironment>, parts: GatewayParts): Promise<Response> {
  const { store, profile, now } = parts;
  if (profile !== 'real') throw notFound('path');
  const at = now();
  const { name, campaignId, startAt } = await readJson(context, scheduleBody(at));
  if (store.campaigns.get(campaignId) === undefined) throw notFound('campaign');
  const campaignRunId = newId(at);
  store.campaignRuns.put({ campaignId, id: campaignRunId, name, preserve: false, startAt, status: 'scheduled' });
  return context.json({ id: newId(at), campaignRunId });
}

const runsQuery = z.object({
  ...pageParameters,
  name: textParameter,
  status: listParameter.pipe(z.array(z.enum(runStatuses, `must be one of: ${runStatuses.join(', ')}`)).optional()),
});

/** Answers one page of the runs, the newest first; a name matches as a part of the run's. */
export function serveRuns(context: Context<GatewayEnvironment>, { store, profile, now }: GatewayParts): Response {
  if (profile !== 'real') throw notFound('path');
  const { name = '', status, ascending = false, ...page } = readQuery(context, runsQuery);
  const runs = store.campaignRuns.all(now());
  const matching = runs.filter(
    (run) => run.name.includes(name) && status?.some((word) => word === run.status) !== false,
  );
  const { items, next, prev } = pageOf(ascending ? matching : matching.toReversed(), pageRequest(page));
  return context.json({ campaignRuns: items.map((run) => shownRun(run, store)), next, prev });
}
