/**
 * A server that answers at once and always the same, in a process of its own, so that its CPU counts for nobody: the gateway's operations that
 * the rows use, and of AWS what a cold start asks for.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { packagesPage } from './packages-page.ts';

const changed = Buffer.from(JSON.stringify({ message: 'Campaign run updated' }));

/** Answers of AWS by the operation in `x-amz-target`. */
const awsAnswers: Readonly<Record<string, Buffer>> = {
  'secretsmanager.GetSecretValue': Buffer.from(JSON.stringify({ Name: 'token', SecretString: 'bench-token' })),
  'DynamoDB_20120810.GetItem': Buffer.from('{}'),
  'DynamoDB_20120810.PutItem': Buffer.from('{}'),
  'AWSEvents.PutEvents': Buffer.from(JSON.stringify({ FailedEntryCount: 0, Entries: [{ EventId: 'e' }] })),
};

/** How often each operation of AWS was asked for, and a change of a run (`PATCH`). */
const asked: Record<string, number> = {};

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { url = '', method } = request;
  if (url === '/asked') return json(response, Buffer.from(JSON.stringify(asked)));
  const target = request.headers['x-amz-target'];
  if (typeof target === 'string') {
    asked[target] = (asked[target] ?? 0) + 1;
    const body = awsAnswers[target];
    return body === undefined ? notFound(response) : json(response, body, 'application/x-amz-json-1.1');
  }
  if (method === 'PATCH') {
    asked['PATCH'] = (asked['PATCH'] ?? 0) + 1;
    return json(response, changed);
  }
  if (url.includes('/backend/v1/scanner-packages?'))
    return json(response, packagesPage(new URL(url, 'http://responder')));
  notFound(response);
}

function json(response: ServerResponse, body: Buffer, type = 'application/json'): void {
  response.writeHead(200, { 'content-type': type, 'content-length': body.length });
  response.end(body);
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-length': 0 });
  response.end();
}

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => answer(request, response));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(address.port);
});
process.once('disconnect', () => process.exit(0));
