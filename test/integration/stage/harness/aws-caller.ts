import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { readHistory } from '#operator/history/history.ts';
import { type HistoryEntry, historyEntry } from '#operator/history/history-entry.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RunningStage } from '#local/stage/run-stage.ts';
import { resourcesOfType } from '#local/template/assembly.ts';
import { developerKey } from '../../../builders/developer-key.ts';

/** What a person with the AWS SDK and invented credentials does to a stage. */
export interface AwsCaller {
  readonly bucket: string;
  readonly put: (key: string, body: string) => Promise<void>;
  /** `queue` is the beginning of the queue's logical id: `Commands`, `UploadsDeadLetters`. */
  readonly send: (queue: string, body: string) => Promise<void>;
  /** How a command ended; `undefined`: it did not yet. */
  readonly outcomeOf: (commandId: string) => Promise<CommandRow['outcome']>;
  /** What `autopilot history` tells, newest first. */
  readonly history: () => Promise<readonly HistoryEntry[]>;
  /** Keys of the rows that wait for a person. */
  readonly parked: () => Promise<readonly string[]>;
  readonly close: () => void;
}

/** Clients of the developer at the keyboard. */
export function createAwsCaller({ assembly }: RunningStage): AwsCaller {
  const settings = {
    endpoint: assembly.endpoint,
    region: assembly.region,
    credentials: developerKey,
  };
  const s3 = new S3Client(settings);
  const sqs = new SQSClient(settings);
  const bucket = resourcesOfType(assembly, 'AWS::S3::Bucket')[0]?.physicalId ?? '';
  const dynamoDb = new DynamoDBClient(settings);
  const tableName = resourcesOfType(assembly, 'AWS::DynamoDB::Table')[0]?.physicalId ?? '';
  const ledger = createDynamoDbLedger({ client: dynamoDb, tableName });
  const queues = resourcesOfType(assembly, 'AWS::SQS::Queue');

  return {
    bucket,
    async put(key, body) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
    },
    async send(queue, body) {
      const found = queues.find(({ logicalId }) => new RegExp(`^${queue}[0-9A-F]{8}$`).test(logicalId));
      if (found === undefined)
        throw new Error(`the template has no queue ${queue}: ${queues.map((q) => q.logicalId).join(', ')}`);
      await sqs.send(new SendMessageCommand({ QueueUrl: found.physicalId, MessageBody: body }));
    },
    outcomeOf: async (id) => (await ledger.read<CommandRow>(ledgerKeys.command(id)))?.outcome,
    async history() {
      const entries: HistoryEntry[] = [];
      for await (const { row, run } of readHistory(ledger, {})) entries.push(historyEntry(row, run));
      return entries;
    },
    parked: async () => (await ledger.listOpen('PARKED')).items.map(({ pk }) => pk),
    close() {
      dynamoDb.destroy();
      s3.destroy();
      sqs.destroy();
    },
  };
}
