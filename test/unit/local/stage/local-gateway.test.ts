import { readdirSync } from 'node:fs';
import { inspect } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { openGateway } from '#local/stage/local-gateway.ts';
import { readStartOptions, takeToken, tokenVariable } from '#local/stage/start-options.ts';
import { StartProblem } from '#local/state/start-problem.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

let folder: string;
beforeEach(() => {
  folder = folderOfTest();
});

/** Opens a real gateway, with this in the token's variable. */
async function openWith(token: string | undefined) {
  const options = readStartOptions(['--gateway', 'https://gateway.example.com'], folder);
  if (typeof options === 'string') throw new Error('help was not asked for');
  return openGateway(options, token);
}

test('a real gateway is called with the token that was given', async () => {
  const { url, token, isEmbedded } = await openWith('eyJhbGciOi.J9-_~+/==');

  expect({ url, token, isEmbedded }).toEqual({
    url: 'https://gateway.example.com',
    token: 'eyJhbGciOi.J9-_~+/==',
    isEmbedded: false,
  });
});

// The CDK app and the bundler inherited it.
test('the token is taken out of the environment as it is read', () => {
  const env = { [tokenVariable]: 'canary', PATH: '/bin' };

  expect(takeToken(env)).toBe('canary');
  expect(env).toEqual({ PATH: '/bin' });
});

// As root the folder was made at the root of the machine, and every other user was refused.
test('to look for a kept token makes no folder', async () => {
  await openWith('canary');

  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  [undefined, 'needs its token'],
  ['', 'needs its token'],
  ['  ', 'holds a space'],
  ['canary\n', 'holds a line break'],
  ['Bearer canary', 'begins with the word Bearer'],
])('%j is refused before anything starts, and not shown', async (token, words) => {
  const error: unknown = await openWith(token).catch((caught: unknown) => caught);

  expect(error).toBeInstanceOf(StartProblem);
  expect(error).toMatchObject({ message: expect.stringContaining(words) });
  expect(error).toMatchObject({ message: expect.stringContaining(tokenVariable) });
  expect(inspect(error, { depth: null })).not.toContain('canary');
});

test.each(['https://hooks.example.com/x', 'http://10.0.0.7:9000', 'chat', 'https://127.0.0.1:9000'])(
  'notices are not sent to %s, which is no plain address of this machine',
  (address) => {
    expect(() => readStartOptions(['--webhooks', address], import.meta.dirname)).toThrow(
      /is no address of this machine/,
    );
  },
);

test('notices go to a program on this machine', () => {
  const options = readStartOptions(['--webhooks', 'http://127.0.0.1:9000/hooks'], import.meta.dirname);

  expect(options).toMatchObject({ webhooksUrl: 'http://127.0.0.1:9000/hooks' });
});
