/** The largest message that a queue takes, of anything: it is parked with its reason, and nothing dies of it. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { resourcesOfType } from '#local/template/assembly.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { developerKey } from '../../builders/developer-key.ts';
import { type InProcessStage, openInProcessStage } from './harness/in-process-stage.ts';
import { until } from './harness/stage-process.ts';

let it: InProcessStage;
let ledger: Ledger;
let sqs: SQSClient;

beforeAll(async () => {
  it = await openInProcessStage({ stageName: 'local' });
  const { assembly } = it.stage;
  const settings = { endpoint: assembly.endpoint, region: assembly.region, credentials: developerKey };
  sqs = new SQSClient(settings);
  const tableName = resourcesOfType(assembly, 'AWS::DynamoDB::Table')[0]?.physicalId ?? '';
  ledger = createDynamoDbLedger({ client: new DynamoDBClient(settings), tableName });
});

afterAll(async () => {
  sqs.destroy();
  await it.close();
});

const most = 65_536;
const largest = {
  'the name of one field': JSON.stringify({ ['x'.repeat(most - 6)]: 1 }),
  brackets: '['.repeat(30_000).padEnd(most - 30_000) + ']'.repeat(30_000),
  quotes: '"'.repeat(most),
  'a text': JSON.stringify({ version: 1, id: 'x'.repeat(most - 21) }),
} as const;
const queues = {
  Commands: ['commands', 'BAD_MESSAGE'],
  Uploads: ['uploads', 'BAD_MESSAGE'],
  CommandsDeadLetters: ['commands', 'WORKER_DIED'],
  UploadsDeadLetters: ['uploads', 'WORKER_DIED'],
  SchedulesDeadLetters: ['commands', 'WORKER_DIED'],
} as const;

async function send(queue: keyof typeof queues, body: string): Promise<string> {
  const found = resourcesOfType(it.stage.assembly, 'AWS::SQS::Queue').find(
    ({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, '') === queue,
  );
  const sent = await sqs.send(new SendMessageCommand({ QueueUrl: found?.physicalId, MessageBody: body }));
  return sent.MessageId ?? '';
}

const cases = Object.keys(queues).flatMap((queue) =>
  Object.keys(largest).map((what) => [queue as keyof typeof queues, what as keyof typeof largest] as const),
);

test.each(cases)('%s parks 64 kB of %s with its reason, at the first delivery', async (queue, what) => {
  const [of, reason] = queues[queue];
  const id = await send(queue, largest[what]);

  const row = await until('the parked row', async () => ledger.read<Stored>(ledgerKeys.message(of, id)));

  expect(row).toMatchObject({
    openState: 'PARKED',
    outcome: { reason },
    parked: { attempts: 1, message: largest[what] },
  });
});

test('a stop behind four of them is done', async () => {
  const issuedAt = new Date(it.clock.now()).toISOString();
  const campaignRunId = seedIds.campaignRuns.nightly[30];
  const stop = { version: 1, id: 'behind', action: 'stop', campaignRunId, issuedAt };
  for (const body of Object.values(largest)) await send('Commands', body);
  await send('Commands', JSON.stringify({ ...stop, origin: { kind: 'operator', name: 'dana' } }));

  const outcome = await until('the outcome of the stop', async () => it.aws.outcomeOf('behind'));

  expect(outcome).toMatchObject({ kind: 'applied' });
});

test.each(Object.keys(queues))('%s refuses one byte more', async (queue) => {
  await expect(send(queue as keyof typeof queues, 'x'.repeat(most + 1))).rejects.toMatchObject({
    message: expect.stringMatching(/65536/),
  });
});
