import {
  createGatewayClient,
  type GatewayClient,
  type GatewayClientOptions,
  type GatewayConnection,
} from '#shared/gateway-client/index.ts';
import type { Log } from '../../_handler/log.ts';
import { requestLog } from '../../_gateway/gateway-within.ts';
import type { UploadDeps } from '../upload-work.ts';

const longestHeadersMs = 30_000;

/** The POST of one environment. Its client is made when the first upload says how long a POST may take here. */
export function createDatasetPost(
  options: GatewayConnection & Pick<GatewayClientOptions, 'tokenProvider' | 'random'> & { readonly log: Log },
): UploadDeps['createDataset'] {
  const { log, ...rest } = options;
  let client: GatewayClient | undefined;

  return async (input, { postMs }) => {
    client ??= createGatewayClient({
      ...rest,
      onRequest: requestLog(log),
      timeouts: { postTotalMs: postMs, postHeadersMs: Math.min(longestHeadersMs, postMs) },
    });
    return client.createDataset(input);
  };
}
