/**
 * Trigger: the commands queue (schedules, uploads, plans, changes, operators), one message at a time.
 * Input: a CampaignRunCommand, `shared/messages/campaign-run-command.ts`; a question, `preview.ts`, `config-at.ts`, `token-trial.ts` or
 *   `supplies.ts` beside it, which changes nothing.
 * Effects: PATCH /campaign-runs/{id} at the gateway, the rows run, guard, binding and command of the ledger, events on the outcome bus; with
 *   `stop-previous` the stop of the run in flight, into its own queue. In `mode: 'observe'` rows of their own, no PATCH and no message.
 * Idempotent by the command's id, recorded in its ledger row; runs are ordered by (issuedAt, id) in the run's row.
 * On failure: the message goes back with a visibility timeout, a stop within a minute; what needs a person, three attempts that died and what
 *   a day was not enough for are parked in the ledger with their next step.
 * Alarms, each a heading of docs/runbook.md: UpdateCampaignRunsFailures, MissedWindow, SupersededSpike, RunIdsLow.
 */
import { createDynamoDbClient } from '../../shared/aws/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { createEventBridgeClient } from '../../shared/aws/eventbridge-client.ts';
import { lazily } from '../../shared/aws/lazily.ts';
import { createOutcomeBus } from '../../shared/aws/outcome-bus.ts';
import { createQueue } from '../../shared/aws/queue.ts';
import { createSqsClient } from '../../shared/aws/sqs-client.ts';
import { connectionOf } from '../../shared/gateway-client/index.ts';
import { ledgerKeys } from '../../shared/ledger/items.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { metricNames } from '../../shared/vocabulary/metric-names.ts';
import { createGatewayAccess } from '../_runtime/gateway-access.ts';
import { createQueueHandler, type QueueFunction, type Runtime } from '../_runtime/handlers.ts';
import { ledgerOfMode } from '../_runtime/observe.ts';
import { createRateLimiter, requestDistanceMs } from '../_runtime/rate-limiter.ts';
import { createSlotQueue } from '../_runtime/slot-queue.ts';
import { answerConfigAt } from './answer-config-at.ts';
import { answerPreview } from './answer-preview.ts';
import { answerSupplies } from './answer-supplies.ts';
import { answerToken } from './answer-token.ts';
import { createRunGateway, type RunGateway } from './run-gateway.ts';
import { createTokenTrial } from './token-trial.ts';
import { updateCampaignRun } from './update-campaign-run.ts';

const recordBudgetMs = 20_000;

function build(runtime: Runtime<'update-campaign-runs'>): QueueFunction {
  const { env, config, log, count, now, random } = runtime;
  const connection = connectionOf(config.gateway);
  const table = createDynamoDbLedger({ client: createDynamoDbClient(), tableName: env.LEDGER_TABLE });
  const ledger = ledgerOfMode(config.mode, table);
  const commands = createQueue(lazily(createSqsClient), env.COMMANDS_QUEUE_URL);
  const { token, gate } = createGatewayAccess(runtime, { connection, secretArn: env.TOKEN_SECRET_ARN, table });
  const deps = {
    ledger,
    acting: table,
    bus: createOutcomeBus(lazily(createEventBridgeClient), env.EVENT_BUS_NAME),
    commands,
    gate,
    rateLimiter: createRateLimiter(
      { runs: config.requestsPerSecond, reads: config.readsPerSecond },
      { distanceMs: requestDistanceMs(config.gateway.requestsPerSecond) },
    ),
    slotQueue: createSlotQueue(1000 / config.requestsPerSecond),
    config,
    random,
    onRunningLow: (run: string, left: number) => {
      count(metricNames.runIdsLow, 1);
      const fields = { run, left };
      log.warn(
        logEvents.bindingRunningLow,
        `${run} has ${left} unused run ids left: autopilot bind ${run} ID…`,
        fields,
      );
    },
  };
  const gatewayWithin = createRunGateway({ ...connection, tokenProvider: token, log, mode: config.mode });
  let depsMade: (typeof deps & RunGateway) | undefined;
  const depsWithin = (functionMs: number) => (depsMade ??= { ...deps, ...gatewayWithin(functionMs) });
  return {
    ledger: table,
    recordBudgetMs,
    postpone: commands.postpone,
    handleRecord: (record, context) => updateCampaignRun(record, context, depsWithin(context.remainingMs())),
    smoke: { ledger: () => table.read(ledgerKeys.gate()), token: token.get },
    questions: {
      preview: (event, { remainingMs }) => answerPreview(event, { ...depsWithin(remainingMs()), now, remainingMs }),
      'config-at': (event, { remainingMs }) => answerConfigAt(event, { ...depsWithin(remainingMs()), remainingMs }),
      token: (event, { remainingMs }) =>
        answerToken(event, createTokenTrial(runtime, { rateLimiter: deps.rateLimiter, remainingMs })),
      supplies: () => answerSupplies({ config, ledger, now }),
    },
  };
}

/** The deployed function. */
export const handler = createQueueHandler('update-campaign-runs', build);
