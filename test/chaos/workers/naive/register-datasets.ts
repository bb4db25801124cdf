/**
 * The worker that most people write: read the event, POST, and let the queue deliver again what
 * failed.
 */
import type { SQSEvent } from 'aws-lambda';
import { objectsToRegister, registerObject } from '../register-object.ts';
import { eachRecord } from './each-record.ts';

/** What Lambda calls. */
export const handler = async (event: SQSEvent) =>
  eachRecord(event, async (body) => {
    for (const object of objectsToRegister(body)) await registerObject(object);
  });
