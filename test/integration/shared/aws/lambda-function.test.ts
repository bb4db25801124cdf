import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { createLambdaClient } from '#shared/aws/clients/lambda-client.ts';
import { invokeFunction } from '#shared/aws/lambda-function.ts';

test('an abort ends the wait for a function, and closes its connection', async () => {
  const server = createServer(() => {}); // takes the request and never answers
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const client = createLambdaClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  const abort = new AbortController();
  try {
    const requested = once(server, 'request');
    const invoked = invokeFunction({ functionName: 'slow', input: '{}', signal: abort.signal }, client);
    const [request] = await requested;
    const closed = once(request.socket, 'close');

    abort.abort();

    await expect(invoked).rejects.toMatchObject({ name: 'AbortError' });
    await closed;
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
});
