/**
 * register-datasets
 *
 * Trigger: the uploads queue, which the bucket notifies of every object created below `datasets/`.
 * Input: S3 events, one or more records each. Idempotency key: sha256(bucket, decoded key, version id), the ledger's upload row.
 * Effects: reads the object version, POSTs one dataset to the gateway, writes the upload and dataset rows, sends the command of `thenStart`
 *   to the commands queue, publishes DatasetRegistered (where the rule announces) and WorkParked.
 * On failure: proven not applied → back to the queue, for at most a day; may have been applied → parked POST_OUTCOME_UNKNOWN, never sent
 *   again without a person; refused for good → parked with the gateway's text.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoDbClient } from '../../shared/aws/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { createEventBridgeClient } from '../../shared/aws/eventbridge-client.ts';
import { createObjectStore } from '../../shared/aws/object-store.ts';
import { createOutcomeBus } from '../../shared/aws/outcome-bus.ts';
import { createQueue } from '../../shared/aws/queue.ts';
import { createS3Client } from '../../shared/aws/s3-client.ts';
import { createSecretToken } from '../../shared/aws/secret-token.ts';
import { createSecretsManagerClient } from '../../shared/aws/secrets-manager-client.ts';
import { createSqsClient } from '../../shared/aws/sqs-client.ts';
import { ledgerKeys } from '../../shared/ledger/items.ts';
import { createQueueHandler, type QueueFunction, type Runtime } from '../_runtime/handlers.ts';
import { createPacer } from '../_runtime/pacer.ts';
import { createDatasetGateway } from './dataset-gateway.ts';
import { handleUploadMessage } from './handle-upload-message.ts';
import { firstBudget } from './send-budget.ts';
import type { UploadDeps } from './upload-work.ts';

/** Enough to read a message and to say that it must wait; what a POST needs is asked for upload by upload. */
const recordBudgetMs = 1000;

function build({ env, config, log, random, secrets }: Runtime<'register-datasets'>): QueueFunction {
  const sqs = createSqsClient();
  const ledger = createDynamoDbLedger({ client: createDynamoDbClient(), tableName: env.LEDGER_TABLE });
  const token = createSecretToken({
    client: createSecretsManagerClient(),
    secretArn: env.TOKEN_SECRET_ARN,
    onToken: (value) => secrets.add(value),
  });
  const gateway = createDatasetGateway({ baseUrl: config.gateway.baseUrl, tokenProvider: token, log, random });
  const deps: UploadDeps = {
    ledger,
    objects: createObjectStore(createS3Client()),
    bus: createOutcomeBus(createEventBridgeClient(), env.EVENT_BUS_NAME),
    commands: createQueue(sqs, env.COMMANDS_QUEUE_URL),
    token,
    createDataset: gateway.createDataset,
    pace: createPacer(config.requestsPerSecond),
    budget: firstBudget(),
    random,
    sleep,
    bucket: env.BUCKET_NAME,
    rules: config.datasetRules,
  };
  return {
    ledger,
    handleRecord: (record, context) => handleUploadMessage(deps, record, context),
    postpone: createQueue(sqs, env.UPLOADS_QUEUE_URL).postpone,
    recordBudgetMs,
    smoke: { ledger: () => ledger.read(ledgerKeys.gate()), token: () => token.get(), gateway: gateway.check },
  };
}

/** What Lambda calls. */
export const handler = createQueueHandler('register-datasets', build);
