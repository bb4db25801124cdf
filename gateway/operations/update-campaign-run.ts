/** Interface 4.5: changes a campaign run's name, retention, start time and status. */
import * as z from 'zod';
import type { Context } from 'hono';
import type { GatewayEnvironment } from '../http/environment.ts';
import { readJson } from '../http/json-body.ts';
import { uuidInPath } from '../http/path.ts';
import { HttpProblem, notFound } from '../http/problem.ts';
import type { GatewayParts } from '../parts.ts';
import { parseInstant } from '../http/query.ts';

/** The operation; built once, because its schema depends on how the gateway was started. */
export function updateCampaignRun(parts: GatewayParts) {
  const { store, now } = parts;
  const schema = campaignRunChangeSchema(parts);
  return async (context: Context<GatewayEnvironment>): Promise<Response> => {
    const id = uuidInPath(context, 'campaignRunId');
    const change = await readJson(context, schema);
    const run = store.campaignRuns.table.get(id);
    if (run === undefined) throw notFound('campaign run');

    const requestId = context.get('requestId');
    const result = store.campaignRuns.change(run, change, { at: now(), requestId, by: 'api', body: change });
    if ('refused' in result) {
      throw new HttpProblem(409, `the campaign run is already ${result.refused.status} and cannot start again`);
    }
    return context.json({ message: 'Campaign run updated' });
  };
}

/** The fields of interface 4.5, checked: the same for a PATCH and for a change by hand. */

const word = z.string().refine((text) => text.trim() !== '', 'must not be empty');
const instant = z
  .string()
  .refine(
    (text) => parseInstant(text) !== undefined,
    'must be a date and time with an offset, such as 2026-02-01T00:00:00Z',
  );

/** The four fields, each optional; `status` from the configured list, if there is one; `preserve` as a boolean unless the gateway is strict. */
export function campaignRunFields({ policy, isStrict }: Pick<GatewayParts, 'policy' | 'isStrict'>) {
  const status = z
    .string()
    .refine(
      (text) => (policy.statuses === undefined ? text.trim() !== '' : policy.statuses.includes(text)),
      policy.statuses === undefined ? 'must not be empty' : `must be one of: ${policy.statuses.join(', ')}`,
    );
  return {
    name: word.optional(),
    preserve: (isStrict ? z.string() : z.union([z.string(), z.boolean()])).optional(),
    startAt: instant.optional(),
    status: status.optional(),
  };
}

/** The body of a PATCH: at least one of the four fields, nothing else. */
function campaignRunChangeSchema(parts: GatewayParts) {
  return z
    .strictObject(campaignRunFields(parts))
    .refine((change) => Object.keys(change).length > 0, 'one of name, preserve, startAt and status is required');
}
