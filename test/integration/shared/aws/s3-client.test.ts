import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { createObjectStore, createS3Client } from '#shared/aws/object-store.ts';
import { server } from '../gateway-client/clients.ts';
import { answerText } from '../gateway-client/raw-server.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('reads an object whose uploader chose a checksum that the SDK lacks', async () => {
  // S3 tells the checksum if it is asked for; another server might always tell it.
  const { baseUrl, requests } = await server((socket) =>
    socket.write(answerText(200, 'prompt,label\n', { etag: '"e"', 'x-amz-checksum-sha512': 'AA==' })),
  );
  vi.stubEnv('AWS_ENDPOINT_URL', baseUrl);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
  const client = createS3Client();
  using opened = await createObjectStore(client).open({ bucket: 'inbox', key: 'prompts.csv' });

  if (opened === undefined) throw new Error('it is gone');
  expect((await buffer(opened.pieces)).toString()).toBe('prompt,label\n');
  expect(requests.map(({ headers }) => headers['x-amz-checksum-mode'])).toEqual([undefined]);
  client.destroy();
});
