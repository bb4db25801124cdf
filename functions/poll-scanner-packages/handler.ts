/**
 * Trigger: one EventBridge schedule for each watch of `scannerPackages` in automation.config.ts.
 * Input: `{"watch": "NAME"}`.
 * Effects: GET /scanner-packages (all pages); the watch's rows in the ledger; starts in the commands queue, under
 *   `change:WATCH:CHANGE-SET:RUN`; ScannerPackagesChanged on the outcome bus, under the change set's id.
 * On failure: the error escapes. A walk that is cut off, by an error or by the function's time, concludes nothing and is not resumed: the
 *   next tick of the schedule starts it anew, from the first page. A change set that was opened is finished then, under the same ids.
 */
import { createDynamoDbClient } from '../../shared/aws/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { createEventBridgeClient } from '../../shared/aws/eventbridge-client.ts';
import { createOutcomeBus } from '../../shared/aws/outcome-bus.ts';
import { createQueue } from '../../shared/aws/queue.ts';
import { createSecretToken } from '../../shared/aws/secret-token.ts';
import { createSecretsManagerClient } from '../../shared/aws/secrets-manager-client.ts';
import { createSqsClient } from '../../shared/aws/sqs-client.ts';
import { createGatewayClient } from '../../shared/gateway-client/index.ts';
import { ledgerKeys } from '../../shared/ledger/items.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { createScheduledHandler, type Runtime, type ScheduledFunction } from '../_runtime/handlers.ts';
import { createPacer } from '../_runtime/pacer.ts';
import { listingOf } from './listing.ts';
import { pollWatch } from './poll-watch.ts';
import { watchOf } from './watch-of.ts';

function build({ env, config, log, secrets }: Runtime<'poll-scanner-packages'>): ScheduledFunction {
  const ledger = createDynamoDbLedger({ client: createDynamoDbClient(), tableName: env.LEDGER_TABLE });
  const commands = createQueue(createSqsClient(), env.COMMANDS_QUEUE_URL);
  const bus = createOutcomeBus(createEventBridgeClient(), env.EVENT_BUS_NAME);
  const token = createSecretToken({
    client: createSecretsManagerClient(),
    secretArn: env.TOKEN_SECRET_ARN,
    onToken: (value) => secrets.add(value),
  });
  const gateway = createGatewayClient({
    baseUrl: config.gateway.baseUrl,
    tokenProvider: token,
    pace: createPacer(config.requestsPerSecond),
    onRequest: (info) => log.debug(logEvents.gatewayRequest, 'gateway request ended', { ...info }),
  });

  return {
    ledger,
    smoke: {
      ledger: () => ledger.read(ledgerKeys.gate()),
      token: () => token.get(),
      gateway: () => gateway.listScannerPackages({ limit: 1 }).next(),
    },
    run: (event, tick) =>
      pollWatch(watchOf(event, config.packageWatches), { ...tick, listing: listingOf(gateway), ledger, commands, bus }),
  };
}

/** Looks at one listing of scanner packages and starts what its changes ask for. */
export const handler = createScheduledHandler('poll-scanner-packages', build);
