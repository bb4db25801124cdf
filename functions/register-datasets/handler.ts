/**
 * register-datasets
 *
 * Trigger: the uploads queue, which the bucket notifies of every object created below `datasets/`.
 * Input: S3 events, one or more records each. Idempotency key: sha256(bucket, decoded key, version
 *   id), the ledger's upload row.
 * Effects: reads the object version and its sidecar. POSTs one dataset to the gateway. Writes the
 *   upload and dataset rows. Sends the command of `thenStart` to the commands queue. Publishes
 *   WorkParked, and DatasetRegistered if the rule announces. If the stage only observes: the same
 *   on rows of its own, without the POST and DatasetRegistered.
 * On failure: proven not applied → back to the queue, for at most a day. May have been applied → parked POST_OUTCOME_UNKNOWN, never sent
 *   again without a person. Refused for good → parked with the gateway's text. The gate is closed → back to the queue, untouched.
 * Alarms, each a heading of docs/runbook.md: RegisterDatasetsFailures.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStore, createS3Client } from '#shared/aws/object-store.ts';
import { createQueue } from '#shared/aws/queue.ts';
import { uploadsAtOnce } from '#shared/uploads/object-events.ts';
import { createGatewayAccess } from '../_gateway/gateway-access.ts';
import { createQueueHandler, type QueueFunction, type Runtime } from '../_handler/handlers.ts';
import { createMutex, type UploadDeps } from './upload.ts';
import { aroundPosts, createGatewayWithin } from '../_gateway/gateway-calls.ts';
import { createPacer } from '../_gateway/rate-limiter.ts';
import { handleUploadMessage } from './handle-upload-message.ts';
/**
 * Enough to read a message and to say that it must wait; what a POST needs is asked for upload by
 * upload.
 */
const recordBudgetMs = 1000;

function build(runtime: Runtime<'register-datasets'>): QueueFunction {
  const { env, config, log, random } = runtime;
  const { ports, token, smoke, sqs } = createGatewayAccess(runtime);
  const deps: UploadDeps = {
    ...ports,
    objects: createObjectStore(createS3Client()),
    token,
    gatewayWithin: createGatewayWithin({ ...config.gateway, tokenProvider: token, log, random }, aroundPosts),
    pace: createPacer(config.requestsPerSecond),
    checking: createMutex(),
    random,
    sleep,
    bucket: env.BUCKET_NAME,
    config,
  };
  return {
    ledger: ports.ledger,
    handleRecord: (record, context) => handleUploadMessage({ deps, record, context }),
    postpone: createQueue(sqs, env.UPLOADS_QUEUE_URL).postpone,
    recordBudgetMs,
    recordsAtOnce: uploadsAtOnce,
    smoke,
  };
}

/** What Lambda calls. */
export const handler = createQueueHandler('register-datasets', build);
