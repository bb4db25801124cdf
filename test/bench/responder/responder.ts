/** A server in a process of its own, so that its CPU is not counted. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { answerRequest } from './answer-request.ts';

const server = createServer((request, response) => {
  buffer(request).then(
    (body) => answerRequest(request, response, body),
    () => response.destroy(),
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(address.port);
});
process.once('disconnect', () => process.exit(0));
