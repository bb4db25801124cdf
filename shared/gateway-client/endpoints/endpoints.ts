import * as z from 'zod';
import type { Call } from '../call.ts';
import { open, requiredText } from './field-types.ts';
import { listingMaxResponseBytes, type CallOptions } from '../options.ts';
import { queryString } from './input-checks.ts';
import { schemaOf } from './schema.ts';

const endpointType = z.looseObject({
  id: requiredText,
  name: open,
  chatbotId: open,
  groupId: open,
  config: open,
  createdAt: open,
});
const responseType = z.looseObject({ endpoints: z.array(endpointType) });
const schema = schemaOf(responseType);

/** An endpoint, a deprecated resource (interface.md 2.3). */
export type Endpoint = z.output<typeof endpointType>;
/** The answer to `listEndpoints`. */
export type ListEndpointsResponse = z.output<typeof responseType>;

/** Which endpoints. */
export interface ListEndpointsInput extends CallOptions {
  readonly groupId?: string | undefined;
  readonly chatbotId?: string | undefined;
}

/** Lists endpoints. The interface marks this operation deprecated: it serves to show what still has to migrate. */
export async function listEndpoints(call: Call, input: ListEndpointsInput = {}): Promise<ListEndpointsResponse> {
  const { groupId, chatbotId } = input;
  return call({
    operation: 'listEndpoints',
    verb: 'get',
    pathTemplate: '/backend/v1/endpoints',
    path: `/backend/v1/endpoints${queryString({ groupId, chatbotId })}`,
    schema,
    namesResource: false,
    maxResponseBytes: listingMaxResponseBytes,
    options: input,
  });
}
