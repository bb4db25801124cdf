import {
  createGatewayClient,
  type CreateDatasetInput,
  type GatewayClient,
  type GatewayClientOptions,
} from '../../shared/gateway-client/index.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import type { Log } from '../_runtime/log.ts';
import type { SendBudget } from './send-budget.ts';

const longestHeadersMs = 30_000;

/** The gateway as this worker needs it. */
export interface DatasetGateway {
  readonly createDataset: (input: CreateDatasetInput, budget: SendBudget) => Promise<{ readonly id: string }>;
  /** One small read: is it there, and does it know the token? */
  readonly check: () => Promise<void>;
}

/** Makes the gateway of one environment. Its client is made when the first upload says how long a POST may take here. */
export function createDatasetGateway(
  options: Pick<GatewayClientOptions, 'baseUrl' | 'tokenProvider' | 'random'> & { readonly log: Log },
): DatasetGateway {
  const { log, ...rest } = options;
  const clientOptions: GatewayClientOptions = {
    ...rest,
    onRequest: (info) => log.debug(logEvents.gatewayRequest, `${info.method} ${info.pathTemplate}`, { ...info }),
  };
  let client: GatewayClient | undefined;

  return {
    async createDataset(input, { postMs }) {
      client ??= createGatewayClient({
        ...clientOptions,
        timeouts: { postTotalMs: postMs, postHeadersMs: Math.min(longestHeadersMs, postMs) },
      });
      return client.createDataset(input);
    },

    async check() {
      const probe = createGatewayClient(clientOptions);
      try {
        await probe.listScannerPackages({ limit: 1 }).next();
      } finally {
        await probe.close();
      }
    },
  };
}
