/**
 * Trigger: the commands queue (schedules, uploads, plans, changes, operators), one message at a time.
 * Input: a CampaignRunCommand, `shared/messages/campaign-run-command.ts`.
 * Effects: PATCH /campaign-runs/{id} at the gateway, the rows run, guard, binding and command of the ledger, events on the outcome bus.
 * Idempotent by the command's id, recorded in its ledger row; runs are ordered by (issuedAt, id) in the run's row.
 * On failure: the message goes back with a visibility timeout; what needs a person is parked in the ledger with its next step.
 */
import { createDynamoDbClient } from '../../shared/aws/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { createEventBridgeClient } from '../../shared/aws/eventbridge-client.ts';
import { createOutcomeBus } from '../../shared/aws/outcome-bus.ts';
import { createQueue } from '../../shared/aws/queue.ts';
import { createSecretToken } from '../../shared/aws/secret-token.ts';
import { createSecretsManagerClient } from '../../shared/aws/secrets-manager-client.ts';
import { createSqsClient } from '../../shared/aws/sqs-client.ts';
import { createGatewayClient, type GatewayClient } from '../../shared/gateway-client/index.ts';
import { ledgerKeys } from '../../shared/ledger/items.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { createQueueHandler, type QueueFunction, type Runtime } from '../_runtime/handlers.ts';
import { createPacer } from '../_runtime/pacer.ts';
import { updateCampaignRun } from './update-campaign-run.ts';

/** A start is a GET and a PATCH: two calls and the ledger fit into the function's time, so that the platform cuts neither. */
const callShare = 0.4;
const longestCallMs = 15_000;
const recordBudgetMs = 20_000;

function build({ env, config, log, random, secrets }: Runtime<'update-campaign-runs'>): QueueFunction {
  const ledger = createDynamoDbLedger({ client: createDynamoDbClient(), tableName: env.LEDGER_TABLE });
  const bus = createOutcomeBus(createEventBridgeClient(), env.EVENT_BUS_NAME);
  const queue = createQueue(createSqsClient(), env.COMMANDS_QUEUE_URL);
  const token = createSecretToken({
    client: createSecretsManagerClient(),
    secretArn: env.TOKEN_SECRET_ARN,
    onToken: (text) => secrets.add(text),
  });
  let client: GatewayClient | undefined;
  /** Made by the first attempt, which begins with all the time that the function has. */
  const gatewayWithin = (functionMs: number) =>
    (client ??= createGatewayClient({
      baseUrl: config.gateway.baseUrl,
      tokenProvider: token,
      timeouts: { totalMs: Math.min(longestCallMs, functionMs * callShare) },
      pace: createPacer(config.requestsPerSecond),
      onRequest: (info) => log.debug(logEvents.gatewayRequest, `${info.method} ${info.pathTemplate}`, { ...info }),
    }));
  const onRunningLow = (run: string, left: number) =>
    log.warn(logEvents.bindingRunningLow, `${run} has ${left} unused run ids left: autopilot bind ${run} ID…`, {
      run,
      left,
    });
  return {
    ledger,
    recordBudgetMs,
    postpone: queue.postpone,
    handleRecord: (record, context) => {
      const gateway = gatewayWithin(context.remainingMs());
      return updateCampaignRun(record, context, { ledger, bus, gateway, config, random, onRunningLow });
    },
    smoke: { ledger: () => ledger.read(ledgerKeys.gate()), token: token.get },
  };
}

/** The deployed function. */
export const handler = createQueueHandler('update-campaign-runs', build);
