/** The worker by the book: Powertools' batch processor, and its idempotency around each command. */
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { makeIdempotent } from '@aws-lambda-powertools/idempotency';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { changeRun, commandOf } from '../change-run.ts';
import { keyedBy, persistenceStore } from './idempotent.ts';

const config = keyedBy('id');
const changeOnce = makeIdempotent(changeRun, { persistenceStore, config });
const processor = new BatchProcessor(EventType.SQS);

async function handleRecord({ body }: SQSRecord): Promise<void> {
  await changeOnce(commandOf(body));
}

/** What Lambda calls. */
export const handler = async (event: SQSEvent, context: Context) => {
  config.registerLambdaContext(context);
  return processPartialResponse(event, handleRecord, processor, { context });
};
