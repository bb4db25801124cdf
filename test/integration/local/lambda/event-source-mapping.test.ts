import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, describe, expect, test, vi } from 'vitest';

import { createCallsInHand } from '#local/clock/movable-clock.ts';
import { startEventSourceMapping } from '#local/lambda/mapping/event-source-mapping.ts';
import type { EventSourceMapping } from '#local/lambda/mapping/event-source-mapping.ts';
import type { LocalMapping, MappingPorts } from '#local/lambda/mapping/mapping.ts';
import { createFunctionHost } from '#local/lambda/function-host.ts';
import type { FunctionLogLine, InvokeResult } from '#local/lambda/local-function.ts';
import { localFunction } from './local-functions.ts';
import { startLocalQueues } from './local-queues.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const folder = folderOfFile();
const lines: FunctionLogLine[] = [];
const sqs = await startLocalQueues(join(folder, 'aws'));
const host = createFunctionHost({
  functions: [localFunction('handler.batch')],
  logDirectory: folder,
  onLog: (line) => lines.push(line),
});
let queues = 0;
const mappings: EventSourceMapping[] = [];

afterAll(async () => {
  await Promise.all(mappings.map(async (mapping) => mapping.close()));
  await host.close(0);
  await sqs.close();
});

/**
 * A queue of its own, where a message comes back after the given seconds, and a dead-letter queue
 * behind it.
 */
function queue(visibilitySeconds = 30, maxReceiveCount = 2) {
  queues += 1;
  return sqs.make(`queue-${queues}`, visibilitySeconds, maxReceiveCount);
}

function map(
  queueArn: string,
  queueUrl: string,
  more: Partial<LocalMapping> = {},
  ports: Partial<MappingPorts> = {},
): EventSourceMapping {
  const mapping = startEventSourceMapping(
    {
      functionName: 'handler-batch',
      queueArn,
      enabled: true,
      batchSize: 10,
      reportsItemFailures: true,
      ...more,
    },
    {
      access: {
        queueUrl,
        endpointUrl: sqs.url,
        region: 'eu-west-1',
        credentials: { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'local' },
      },
      invoke: async (name, payload) => host.invoke(name, payload),
      calls: createCallsInHand(),
      log: () => {},
      ...ports,
    },
  );
  mappings.push(mapping);
  return mapping;
}

/** Every body carries its queue, so that the tests can share one function and its log. */
function send(name: string, body: object): void {
  sqs.send(name, JSON.stringify({ ...body, name }));
}

function received(name: string, body: object): number {
  return lines.filter(({ text }) => text === `got ${JSON.stringify({ ...body, name })}`).length;
}

async function until(check: () => void): Promise<void> {
  await vi.waitFor(check, { timeout: 120_000, interval: 20 });
}

describe.concurrent('a batch', () => {
  test('is handed over in Lambda’s shape and deleted when it succeeded', async () => {
    const { name, arn, url } = queue();
    map(arn, url);
    send(name, { outcome: 'echo' });

    await until(() => expect(sqs.held(name)).toBe(0));

    const line = lines.find(({ text }) => text.startsWith('{"messageId"') && text.includes(arn));
    const record: unknown = JSON.parse(line?.text ?? '{}');
    expect(record).toMatchObject({
      body: JSON.stringify({ outcome: 'echo', name }),
      eventSource: 'aws:sqs',
      eventSourceARN: arn,
      awsRegion: 'eu-west-1',
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: expect.stringMatching(/^\d{13}$/) },
    });
  });

  test.each([
    ['throws', 'throw'],
    ['names the message as failed', 'fail'],
    ['names a message that is not in the batch', 'unknown'],
  ])('comes back when the handler %s, and then goes through', async (_what, outcome) => {
    const { name, arn, url, deadLetters } = queue(1, 9);
    map(arn, url);
    const body = { outcome, until: 1 };
    send(name, body);

    await until(() => expect(sqs.held(name)).toBe(0));

    // On a slow machine it may also come back while the first try is still at work.
    expect(received(name, body)).toBeGreaterThanOrEqual(2);
    expect(sqs.held(deadLetters)).toBe(0);
  });

  test('[C12] that fails every time ends in the dead-letter queue after its receives', async () => {
    const { name, arn, url, deadLetters } = queue(1);
    map(arn, url);
    send(name, { outcome: 'throw', until: 99 });

    await until(() => expect(sqs.held(deadLetters)).toBe(1));

    expect(sqs.held(name)).toBe(0);
    expect(received(name, { outcome: 'throw', until: 99 })).toBe(2);
  });

  test('[C6] of nine good messages and a bad one loses the nine and keeps the one', async () => {
    const { name, arn, url } = queue(2);
    for (let i = 0; i < 9; i += 1) send(name, { outcome: 'nothing', i });
    send(name, { outcome: 'fail', until: 1 });
    map(arn, url);

    await until(() => expect(sqs.held(name)).toBe(0));

    expect(received(name, { outcome: 'fail', until: 1 })).toBe(2);
    for (let i = 0; i < 9; i += 1) expect(received(name, { outcome: 'nothing', i })).toBe(1);
  });

  test('answered with null has succeeded whole', async () => {
    const { name, arn, url } = queue();
    send(name, { outcome: 'null' });
    map(arn, url);

    await until(() => expect(sqs.held(name)).toBe(0));

    expect(received(name, { outcome: 'null' })).toBe(1);
  });

  test('[C7] without ReportBatchItemFailures is deleted although the handler named a failure', async () => {
    const { name, arn, url, deadLetters } = queue();
    send(name, { outcome: 'fail', until: 99 });
    map(arn, url, { reportsItemFailures: false });

    await until(() => expect(sqs.held(name)).toBe(0));

    expect(sqs.held(deadLetters)).toBe(0);
  });

  test('holds BatchSize messages at most', async () => {
    const { name, arn, url } = queue();
    const sizes: number[] = [];
    const invoke: MappingPorts['invoke'] = async (_name, payload) => {
      sizes.push((JSON.parse(payload) as { Records: unknown[] }).Records.length);
      return Promise.resolve({ requestId: 'r', payload: 'null' });
    };
    for (let i = 0; i < 5; i += 1) send(name, { i });
    map(arn, url, { batchSize: 2 }, { invoke });

    await until(() => expect(sqs.held(name)).toBe(0));

    expect(sizes.every((size) => size <= 2)).toBe(true);
  });
});

describe.concurrent('a mapping', () => {
  test('has MaximumConcurrency batches with its function at most', async () => {
    const { name, arn, url } = queue();
    let [running, most, done] = [0, 0, 0];
    const three = Promise.withResolvers<void>();
    const invoke: MappingPorts['invoke'] = async () => {
      running += 1;
      most = Math.max(most, running);
      // None is done before three are at work; a fourth would have this long to appear.
      if (running === 3) setTimeout(three.resolve, 100);
      await three.promise;
      running -= 1;
      done += 1;
      return { requestId: 'r', payload: 'null' };
    };
    for (let i = 0; i < 12; i += 1) send(name, { i });
    map(arn, url, { batchSize: 1, maximumConcurrency: 3 }, { invoke });

    await until(() => expect(done).toBe(12));

    expect(most).toBe(3);
  });

  test('that is disabled takes nothing', () => {
    const { name, arn, url } = queue();
    send(name, {});
    map(arn, url, { enabled: false });

    expect(sqs.visible(name)).toBe(1);
  });

  test('whose role may not receive says so once and goes on asking', async () => {
    let asked = 0;
    const message = 'User: role/register is not authorized to perform: sqs:ReceiveMessage on resource: uploads';
    const door = createServer((_request, response) => {
      asked += 1;
      response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type: 'com.amazonaws.sqs#AccessDeniedException', message }));
    });
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    const { port } = door.address() as AddressInfo;
    const access = {
      queueUrl: `http://127.0.0.1:${port}/000000000000/uploads`,
      endpointUrl: `http://127.0.0.1:${port}`,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'local' },
    };
    const said: string[] = [];
    const log = (line: string): void => void said.push(line);
    const mapping = map('arn:aws:sqs:eu-west-1:000000000000:uploads', access.queueUrl, {}, { access, log });

    await until(() => expect(asked).toBeGreaterThanOrEqual(2));

    expect(said).toEqual([expect.stringContaining(message)]);
    await mapping.close();
    await new Promise((resolve) => door.close(resolve));
  });

  test('that closes waits for its running batch, and takes no other', async () => {
    const { name, arn, url } = queue();
    const answer = Promise.withResolvers<InvokeResult>();
    // Counted by hand: other tests run beside this one, and each of them clears the mocks when it
    // starts.
    let invocations = 0;
    const invoke: MappingPorts['invoke'] = async () => {
      invocations += 1;
      return answer.promise;
    };
    const mapping = map(arn, url, { batchSize: 1 }, { invoke });
    send(name, { i: 1 });
    await until(() => expect(invocations).toBe(1));

    const closing = mapping.close();
    send(name, { i: 2 });
    answer.resolve({ requestId: 'r', payload: 'null' });
    await closing;

    expect(invocations).toBe(1);
    expect(sqs.held(name)).toBe(1);
  });
});
