import { SQSClient } from '@aws-sdk/client-sqs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createQueue } from '#shared/aws/queue.ts';

/**
 * What SQS takes: seconds, and no more than are left of the twelve hours that count from the
 * receive.
 */
const mostSeconds = 12 * 3600;
/** A worker may have had the message for as long as the longest function runs. */
const longestFunctionSeconds = 900;

/** An endpoint that answers well, and keeps what it was asked for. */
async function startSqs() {
  const asked: { readonly VisibilityTimeout: number }[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked.push(JSON.parse(await text(request)));
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new SQSClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { asked, queue: createQueue(() => client, `http://127.0.0.1:${port}/000000000000/jobs`) };
}

test('[C17] no wait is asked for beyond what SQS allows, whatever a delay is', async () => {
  const { asked, queue } = await startSqs();

  for (const delayMs of [-5, 0, 1, 30_000.4, 13 * 3_600_000, Number.MAX_SAFE_INTEGER, Infinity]) {
    await queue.postpone('receipt', delayMs);
  }

  const seconds = asked.map(({ VisibilityTimeout }) => VisibilityTimeout);
  expect(seconds.slice(0, 4)).toEqual([0, 0, 1, 31]);
  for (const longest of seconds.slice(4)) {
    expect(longest).toBeGreaterThan(mostSeconds / 2);
    expect(longest).toBeLessThanOrEqual(mostSeconds - longestFunctionSeconds);
  }
});
