import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import type { CommandItem, LedgerItem, MessageItem, UploadItem } from '../../shared/ledger/items.ts';
import type { Evidence } from './evidence.ts';
import type { ChaosStage } from './open-stage.ts';
import type { SentEvents } from './send-events.ts';

const datasetsAnswer = z.object({
  datasets: z.array(z.object({ id: z.string(), fileId: z.string(), requestId: z.string(), createdAt: z.string() })),
});

const runsAnswer = z.object({
  campaignRuns: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      transitions: z.array(
        z.object({
          at: z.string(),
          by: z.string(),
          from: z.string(),
          to: z.string(),
          body: z.looseObject({ status: z.string().optional(), name: z.string().optional() }),
        }),
      ),
    }),
  ),
});

/** The part of the evidence that the gateway and the ledger give. */
export type StoredEvidence = Pick<Evidence, 'uploads' | 'commands' | 'datasets' | 'runs' | 'deadLetters'>;

/** Rows read at once: quick enough for ten thousand, and no burden. */
const readsAtOnce = 8;
/** Longer than reading all of them takes. */
const hideSeconds = 600;

/** Reads what is stored about the events that were sent. */
export async function readEvidence(stage: ChaosStage, sent: SentEvents): Promise<StoredEvidence> {
  const { frontDoor, assembly } = stage.running;
  const credentials = { accessKeyId: 'developer', secretAccessKey: 'developer' };
  const access = { endpoint: frontDoor.url, region: assembly.region, credentials };
  const client = new DynamoDBClient(access);
  const sqs = new SQSClient(access);
  const ledger = createDynamoDbLedger({ client, tableName: stage.outputs.LedgerTableName });
  const read = async <Item extends LedgerItem>(pk: string) => ledger.read<Item>(pk);
  try {
    return {
      uploads: await mapLimited(sent.uploads, async (upload) => ({
        ...upload,
        row: await read<UploadItem>(upload.ledgerKey),
      })),
      commands: await mapLimited(sent.commands, async (command) => {
        const rows = await Promise.all(command.ledgerKeys.map(async (pk) => read<CommandItem | MessageItem>(pk)));
        return { ...command, rows: rows.filter((row) => row !== undefined) };
      }),
      datasets: datasetsAnswer.parse(await stage.control.get('/datasets')).datasets,
      runs: runsAnswer.parse(await stage.control.get('/campaign-runs')).campaignRuns,
      deadLetters: (await Promise.all(deadLetterUrls(stage).map(async (url) => receiveAll(sqs, url)))).flat(),
    };
  } finally {
    client.destroy();
    sqs.destroy();
  }
}

/** The dead-letter queues of the stage. */
export function deadLetterUrls({ outputs }: Pick<ChaosStage, 'outputs'>): readonly string[] {
  const {
    CommandsDeadLetterQueueUrl,
    UploadsDeadLetterQueueUrl,
    PlansDeadLetterQueueUrl,
    SchedulesDeadLetterQueueUrl,
  } = outputs;
  return [CommandsDeadLetterQueueUrl, UploadsDeadLetterQueueUrl, PlansDeadLetterQueueUrl, SchedulesDeadLetterQueueUrl];
}

async function receiveAll(sqs: SQSClient, QueueUrl: string): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 0,
        VisibilityTimeout: hideSeconds,
      }),
    );
    if (Messages.length === 0) return bodies;
    bodies.push(...Messages.map(({ Body = '' }) => Body));
  }
}

async function mapLimited<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<readonly Out[]> {
  const results: Out[] = [];
  for (let from = 0; from < items.length; from += readsAtOnce) {
    results.push(...(await Promise.all(items.slice(from, from + readsAtOnce).map(async (item) => work(item)))));
  }
  return results;
}
