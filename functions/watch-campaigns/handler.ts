/**
 * watch-campaigns
 *
 * Trigger: an EventBridge schedule, every minute.
 * Input: `{"tick": "watch-campaigns"}`; nothing in it is used. Two ticks side by side are harmless: a stop's id is made of its run and instant.
 * Effects: sends the stop of every run whose `stopAfter` has passed to the commands queue, whatever was down at that minute; remembers in one
 *   ledger row what it has sent.
 * On failure: the error escapes; the next tick starts from the ledger again.
 */
import { createDynamoDbClient } from '../../shared/aws/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { createQueue } from '../../shared/aws/queue.ts';
import { createSqsClient } from '../../shared/aws/sqs-client.ts';
import { createScheduledHandler, type Runtime, type ScheduledFunction } from '../_runtime/handlers.ts';
import { sendDueStops } from './send-due-stops.ts';

function build({ env }: Runtime<'watch-campaigns'>): ScheduledFunction {
  const ledger = createDynamoDbLedger({ client: createDynamoDbClient(), tableName: env.LEDGER_TABLE });
  const commands = createQueue(createSqsClient(), env.COMMANDS_QUEUE_URL);
  return {
    ledger,
    smoke: { ledger: () => ledger.listOpen('RUN_IN_FLIGHT', { limit: 1 }) },
    run: (_event, { reports, now }) => sendDueStops({ ledger, commands, reports, now }),
  };
}

/** Sends the stops that are due. */
export const handler = createScheduledHandler('watch-campaigns', build);
