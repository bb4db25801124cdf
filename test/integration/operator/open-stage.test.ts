import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { askStage } from '#operator/stage/ask-stage.ts';
import { openStage } from '#operator/stage/operator-deps.ts';
import { createStageAccess, type StageAccess } from '#operator/stage/stage-access.ts';
import type { Target } from '#operator/target.ts';
import type { ClientSettings } from '#shared/aws/client-settings.ts';
import { fakeDeps } from '../../unit/operator/fake-deps.ts';
import { folderOfKey } from './listener.ts';
import { newKey, proofOf, proofPath } from '#shared/net/loopback.ts';

/** A stage that proves who it is, takes each request and never answers it. */
const key = newKey();
const folder = folderOfKey(key);
const silent = createServer(({ url = '' }, response) => {
  if (!url.startsWith(proofPath)) return;
  silent.emit('proved');
  response.end(proofOf(key, endpoint, new URL(url, endpoint).searchParams.get('challenge') ?? ''));
}).listen(0, '127.0.0.1');
await once(silent, 'listening');
const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
const settings: ClientSettings = { endpoint, region: 'eu-west-1', credentials: key };

afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

const asked: readonly [string, (stage: StageAccess) => Promise<unknown>][] = [
  ['the depth of a queue', async (stage) => stage.depth(`${endpoint}/1/commands`)],
  ['a page of a paginator', async (stage) => stage.resources()],
  ['what feeds a function', async (stage) => stage.mapping('1')],
  ['an invocation', async (stage) => stage.invoke('answer-questions', '{}')],
  [
    'an upload',
    async (stage) =>
      stage.upload({ bucket: 'b', key: 'k', body: Buffer.from('text'), contentType: 'text/csv', metadata: {} }),
  ],
];

describe('a caller who leaves ends what was asked for, and its connection closes', () => {
  // Reads used to take no signal: a page that was closed left its questions under way.
  test.each(asked)('%s', async (_, ask) => {
    const left = new AbortController();
    const requested = once(silent, 'request');
    const answer = ask(createStageAccess('local', settings).until(left.signal));
    const [request] = await requested;
    const closed = once(request.socket, 'close');

    left.abort(new Error('the page was closed'));

    await expect(answer).rejects.toThrow('the page was closed');
    await closed;
  });

  test('the local clock', async () => {
    const left = new AbortController();
    const target: Target = { kind: 'local', stage: 'local', endpoint, region: 'eu-west-1', folder };
    const proved = once(silent, 'proved');
    const answer = openStage(target)(left.signal).now();
    await proved;

    left.abort(new Error('the page was closed'));

    await expect(answer).rejects.toThrow('the page was closed');
  });

  test('while it waits for credentials that never come', async () => {
    const left = new AbortController();
    const waits = Promise.withResolvers<void>();
    const credentials = async () => {
      waits.resolve();
      return new Promise<never>(() => {});
    };
    const stage = createStageAccess('local', { ...settings, credentials }).until(left.signal);
    const answer = stage.depth(`${endpoint}/1/commands`);
    await waits.promise;

    left.abort(new Error('the page was closed'));

    await expect(answer).rejects.toThrow('the page was closed');
  });

  test('before it asks: nothing is sent', async () => {
    const answer = createStageAccess('local', settings)
      .until(AbortSignal.abort(new Error('gone')))
      .mapping('1');

    await expect(answer).rejects.toThrow('gone');
  });
});

test.each(asked.slice(0, 3))('a stage that never answers is left after a time: %s', async (_, ask) => {
  const answer = ask(createStageAccess('local', settings, { requestMs: 50 }));

  await expect(answer).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('gave no answer within 0.05 s'),
  });
});

test('a question that is never answered ends after its time', async () => {
  const { deps } = fakeDeps();
  const { invoke } = createStageAccess('local', settings);

  const answer = askStage({ ask: 'supplies' }, z.unknown(), { stage: { ...deps.stage, invoke } }, 50);

  await expect(answer).rejects.toThrow('gave no answer within 0.05 s');
});

test('a caller who leaves ends nothing for the others', async () => {
  const left = new AbortController();
  const stage = createStageAccess('local', settings);
  const requested = once(silent, 'request');
  const gone = stage.until(left.signal).depth(`${endpoint}/1/a`);
  await requested;
  const stays = new AbortController();
  const nextRequested = once(silent, 'request');
  const other = stage.until(stays.signal).depth(`${endpoint}/1/b`);
  const [request] = await nextRequested;

  left.abort(new Error('gone'));

  await expect(gone).rejects.toThrow('gone');
  expect(request.socket.destroyed).toBe(false);
  stays.abort(new Error('gone too'));
  await expect(other).rejects.toThrow('gone too');
});
