import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { chaosPrefixes, runOfUploads } from '../events/automation-document.ts';
import type { Evidence } from './evidence.ts';
import type { ChaosStage } from '../open-stage.ts';
import type { SentEvents } from '../events/send-events.ts';
import { developerKey } from '../../builders/developer-key.ts';

const dataset = z
  .object({
    id: z.string(),
    fileId: z.string().nullable(),
    name: z.string().nullable(),
    requestId: z.string(),
    createdAt: z.string(),
  })
  .transform(({ fileId, name, ...rest }) => ({ ...rest, tag: fileId ?? name ?? '' }));
const datasetsAnswer = z.object({ datasets: z.array(dataset) });

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
          body: z.looseObject({ status: z.string().nullish(), startAt: z.string().nullish() }).nullable(),
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

/** Whether a start waits for the end of a blackout. */
export async function readHasDeferred(stage: ChaosStage): Promise<boolean> {
  const client = new DynamoDBClient(accessOf(stage));
  try {
    const ledger = createDynamoDbLedger({ client, tableName: stage.outputs.LedgerTableName });
    return (await ledger.listOpen('DEFERRED', { limit: 1 })).items.length > 0;
  } finally {
    client.destroy();
  }
}

function accessOf({ running: { frontDoor, assembly } }: ChaosStage) {
  return { endpoint: frontDoor.url, region: assembly.region, credentials: developerKey };
}

/** Reads what is stored about the events that were sent. */
export async function readEvidence(stage: ChaosStage, sent: SentEvents): Promise<StoredEvidence> {
  const access = accessOf(stage);
  const client = new DynamoDBClient(access);
  const sqs = new SQSClient(access);
  const ledger = createDynamoDbLedger({ client, tableName: stage.outputs.LedgerTableName });
  const read = async <Row extends LedgerRow>(pk: string) => ledger.read<Row>(pk);
  try {
    const uploads = await mapLimited(sent.uploads, async (upload) => ({
      ...upload,
      row: await read<UploadRow>(upload.ledgerKey),
    }));
    return {
      uploads,
      commands: await mapLimited([...sent.commands, ...startsAfter(uploads)], async (command) => {
        const rows = await Promise.all(command.ledgerKeys.map(async (pk) => read<CommandRow | MessageRow>(pk)));
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

/** The starts that registered uploads must have sent. */
function startsAfter(uploads: Evidence['uploads']): SentEvents['commands'] {
  const registered = uploads.filter(
    ({ event, row }) => event.key.startsWith(chaosPrefixes.starting) && row?.outcome?.kind === 'applied',
  );
  return registered.map(({ ledgerKey }, place) => {
    const { name } = runOfUploads;
    const id = commandIds.upload(ledgerKey, name);
    const command = { id, action: 'start', target: { run: name }, run: name, via: 'upload', isStale: false } as const;
    return { event: { kind: 'command', place, copies: 1, command }, ledgerKeys: [ledgerKeys.command(id)] };
  });
}

/** The dead-letter queues of the stage. */
function deadLetterUrls({ outputs }: Pick<ChaosStage, 'outputs'>): readonly string[] {
  const { CommandsDeadLetterQueueUrl, UploadsDeadLetterQueueUrl, SchedulesDeadLetterQueueUrl } = outputs;
  return [CommandsDeadLetterQueueUrl, UploadsDeadLetterQueueUrl, SchedulesDeadLetterQueueUrl];
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
