/**
 * A worker of uploads in a process of its own: the real worker, ledger client and gateway client.
 * Bucket, queue and bus in memory, what they are told as lines of JSON on stdout. Its argument says
 * what to handle, how far its clock is ahead, and at which point it gets a SIGKILL.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { writeSync } from 'node:fs';
import { createGatewayWithin } from '#functions/_gateway/gateway-calls.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import type { UploadDeps } from '#functions/register-datasets/upload.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import { createUploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';

/** The worst moments at which the worker of an upload can be killed, in the order of its work. */
export type KillPoint = 'after_sending_mark' | 'after_request_written' | 'after_answer' | 'after_outcome';

/** What the argument holds. */
export interface KilledProcessInput {
  readonly dynamoDbUrl: string;
  readonly gatewayUrl: string;
  readonly uploads: readonly { readonly key: string; readonly body: string }[];
  readonly clockAheadMs: number;
  /** @default none: it lives */
  readonly killAt?: KillPoint;
}

const input: KilledProcessInput = JSON.parse(process.argv[2] ?? '{}');
const nowMs = () => Date.now() + input.clockAheadMs;
const say = (line: object) => void writeSync(1, `${JSON.stringify(line)}\n`);
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** At the point that was asked for the process ends, in the middle of whatever it does; nothing is unwound. */
function passing(here: KillPoint): void {
  if (here === input.killAt) process.kill(process.pid, 'SIGKILL');
}

const bench = createUploadBench();
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const client = new DynamoDBClient({ endpoint: input.dynamoDbUrl, region: 'eu-west-1', credentials });
const ledger = createDynamoDbLedger({ tableName: 'ledger', client });
const gatewayWithin = createGatewayWithin(
  {
    baseUrl: input.gatewayUrl,
    tokenProvider: { get: async () => 'token', refresh: async () => 'token' },
    log,
    random: () => 0,
  },
  { callMs: 1000, writeMs: 500, writeShare: 1 },
);
const deps: UploadDeps = {
  ...bench.deps,
  ledger: {
    ...ledger,
    async write(before, after) {
      const written = await ledger.write(before, after);
      if (after.kind === 'upload') passing(after.state === 'SENDING' ? 'after_sending_mark' : 'after_outcome');
      return written;
    },
  },
  commands: { send: async (body) => say({ command: body }) },
  bus: { publish: async (_type, { eventId }) => say({ eventId }) },
  gatewayWithin(functionMs) {
    const { gateway, callBudgetMs } = gatewayWithin(functionMs);
    const createDataset: typeof gateway.createDataset = async (dataset) => {
      const answer = gateway.createDataset(dataset);
      // The process that started this one sees the request arrive, and kills it from outside.
      if (input.killAt === 'after_request_written') await new Promise<never>(() => {});
      await Promise.allSettled([answer]);
      passing('after_answer');
      return answer;
    };
    return { gateway: { createDataset }, callBudgetMs };
  },
};

for (const { key, body } of input.uploads) {
  const message = bench.put({ key, versionId: 'v1', body });
  const record = { messageId: key, body: message, receiveCount: 1, sentAt: new Date(nowMs()), queueArn: 'uploads' };
  const context = {
    log,
    now: () => new Date(nowMs()),
    remainingMs: () => 120_000,
    attemptId: `${process.pid}`,
  };
  const { kind } = await handleUploadMessage({ deps, record, context });
  say({ key, kind });
}
