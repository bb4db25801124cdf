import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import { packageFolder } from '#shared/places.ts';
import { change } from '../subjects/change.ts';
import { functionConfig } from './function-config.ts';

/** The functions that can be built here. */
type DeployedName = 'poll-scanner-packages' | 'update-campaign-runs' | 'register-datasets';

/**
 * Bundles a function as it is deployed, with its configuration beside it.
 * @param config - @default that of a function whose gateway is at `baseUrl`
 * @returns the absolute path of the bundle
 */
export async function buildDeployed(
  name: DeployedName,
  outDir: string,
  baseUrl: string,
  config: object = functionConfig(baseUrl),
): Promise<string> {
  await buildFunctions({ outDir, entries: { [name]: join(packageFolder, 'functions', name, 'handler.ts') } });
  await writeFile(join(outDir, name, 'config.json'), JSON.stringify(config));
  return join(outDir, name, 'handler.mjs');
}

/** The variables of a function whose AWS and whose gateway are both the responder. */
export function functionEnvironment(origin: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: origin,
    STAGE: 'bench',
    AUTOPILOT_VERSION: '0.0.0',
    LEDGER_TABLE: 'ledger',
    ACTING_TABLE: 'ledger',
    TOKEN_SECRET_ARN: 'arn:aws:secretsmanager:eu-west-1:000000000000:secret:token',
    EVENT_BUS_NAME: 'bus',
    STAGE_TIME_ZONE: 'UTC',
    COMMANDS_QUEUE_URL: `${origin}/000000000000/commands`,
    COMMAND_SENDERS: 'schedules=AROASCHEDULES',
    UPLOADS_QUEUE_URL: `${origin}/000000000000/uploads`,
    BUCKET_NAME: 'uploads',
    GATEWAY_URL: origin,
    GATEWAY_TOKEN: change.token,
  };
}

/** An SQS event of commands, each with an id of its own. */
export function commandsEvent(commands: readonly object[]): object {
  const issuedAt = new Date().toISOString();
  const origin = { kind: 'operator', name: 'bench' };
  return sqsEvent(commands.map((command) => ({ version: 1, id: randomUUID(), issuedAt, origin, ...command })));
}

/** An SQS event of messages with these bodies. */
export function sqsEvent(bodies: readonly object[]): object {
  return { Records: bodies.map(recordOf) };
}

function recordOf(body: object): object {
  return {
    messageId: randomUUID(),
    receiptHandle: 'receipt',
    body: JSON.stringify(body),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:queue',
  };
}

/** An SQS event of one stop. */
export const stopEvent = commandsEvent([{ action: 'stop', campaignRunId: randomUUID() }]);
