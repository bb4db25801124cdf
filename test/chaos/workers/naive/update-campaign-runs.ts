/**
 * The worker that most people write: read the command, PATCH, and let the queue deliver again what
 * failed.
 */
import type { SQSEvent } from 'aws-lambda';
import { changeRun, commandOf } from '../change-run.ts';
import { eachRecord } from './each-record.ts';

/** What Lambda calls. */
export const handler = async (event: SQSEvent) => eachRecord(event, async (body) => changeRun(commandOf(body)));
