import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { createObjectStore, createS3Client } from '#shared/aws/object-store.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('reads an object whose uploader chose a checksum that the SDK lacks', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers['x-amz-checksum-mode']?.toString());
    // S3 tells the checksum if it is asked for; another server might always tell it.
    response.writeHead(200, { 'content-length': '13', etag: '"e"', 'x-amz-checksum-sha512': 'AA==' });
    response.end('prompt,label\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
  const client = createS3Client();
  try {
    using opened = await createObjectStore(client).open({ bucket: 'inbox', key: 'prompts.csv' });
    const read: Uint8Array[] = [];
    for await (const piece of opened?.pieces ?? []) read.push(piece);

    expect(Buffer.concat(read).toString()).toBe('prompt,label\n');
    expect(asked).toEqual([undefined]);
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
});
