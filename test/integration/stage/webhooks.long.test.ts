import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { resourcesOfType } from '#local/template/assembly.ts';
import { type InProcessStage, openInProcessStage } from './harness/in-process-stage.ts';
import { until } from './harness/stage-process.ts';
import { writeAutomation } from './harness/write-automation.ts';
import { developerKey } from '../../builders/developer-key.ts';

/**
 * A program that stands for every webhook: it takes what comes for the chat, and refuses the other.
 */
const received: { readonly path: string; readonly body: unknown }[] = [];
let receiver: Server;
let it: InProcessStage;

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': { longestRun: '1 hour', runs: { smoke: { campaignRunIds: seedIds.campaignRuns.smoke.slice(0, 4) } } },
  },
  notify: {
    webhooks: [
      { name: 'chat', kind: 'slack', secret: 'team/chat' },
      { name: 'broken', kind: 'json', secret: 'team/broken' },
    ],
  },
} as const;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path, body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.writeHead(path.includes('broken') ? 410 : 200).end('ok');
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = z.object({ port: z.number() }).parse(receiver.address());
  it = await openInProcessStage({
    stageName: 'local',
    configIn: (folder) => writeAutomation(folder, automation),
    webhooksUrl: `http://127.0.0.1:${port}/hooks`,
  });
  await it.aws.send('Commands', JSON.stringify({ version: 1, id: 'x', action: 'start' }));
});

afterAll(async () => {
  await it.close();
  receiver.close();
});

test('a parked command is in the chat, in the form that the chat takes', async () => {
  const notice = await until('the notice', async () => received.find(({ path }) => path.includes('chat')));

  expect(notice.path).toMatch(/^\/hooks\//);
  expect(notice.body).toMatchObject({ text: 'Gateway Autopilot, stage local.', blocks: [{ type: 'section' }] });
  expect(JSON.stringify(notice.body)).toContain('Parked: BAD_MESSAGE');
});

test('what a webhook refuses lies in the dead-letter queue, with the reason', async () => {
  const { assembly } = it.stage;
  const queue = resourcesOfType(assembly, 'AWS::SQS::Queue').find(({ logicalId }) => logicalId.startsWith('Webhooks'));
  const { endpoint, region } = assembly;
  const client = new SQSClient({ endpoint, region, credentials: developerKey });
  const receive = new ReceiveMessageCommand({ QueueUrl: queue?.physicalId, MessageAttributeNames: ['All'] });

  const message = await until('the dead letter', async () => (await client.send(receive)).Messages?.[0]);

  client.destroy();
  expect(message.MessageAttributes?.['ERROR_MESSAGE']?.StringValue).toBe('the answer was 410');
  expect(JSON.parse(message.Body ?? '')).toMatchObject({
    'detail-type': 'WorkParked',
    detail: { reason: 'BAD_MESSAGE' },
  });
});
