/**
 * The worker by the book: Powertools' batch processor, and its idempotency around what must happen
 * once.
 */
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { makeIdempotent } from '@aws-lambda-powertools/idempotency';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { objectsToRegister, registerObject } from '../register-object.ts';
import { keyedBy, persistenceStore } from './idempotent.ts';

const config = keyedBy('[bucket, key, versionId]');
const registerOnce = makeIdempotent(registerObject, { persistenceStore, config });
const processor = new BatchProcessor(EventType.SQS);

async function handleRecord({ body }: SQSRecord): Promise<void> {
  for (const object of objectsToRegister(body)) await registerOnce(object);
}

/** What Lambda calls. */
export const handler = async (event: SQSEvent, context: Context) => {
  config.registerLambdaContext(context);
  return processPartialResponse(event, handleRecord, processor, { context });
};
