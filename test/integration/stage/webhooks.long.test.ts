import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { type InProcessStage, openInProcessStage } from './harness/in-process-stage.ts';
import { until } from './harness/stage-process.ts';
import { writeAutomation } from './harness/write-automation.ts';

/** A program that stands for every webhook. */
const received: { readonly path: string; readonly body: unknown }[] = [];
let receiver: Server;
let it: InProcessStage;

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': { longestRun: '1 hour', runs: { smoke: { campaignRunIds: seedIds.campaignRuns.smoke.slice(0, 4) } } },
  },
  notify: {
    webhooks: [{ name: 'chat', kind: 'slack', secret: 'team/chat' }],
  },
} as const;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path, body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.end('ok');
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
