import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import { packageFolder } from '#shared/places.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'autopilot-bundled-'));
});
afterAll(async () => {
  await Promise.all([stop(), rm(directory, { recursive: true })]);
});

const inProject = (path: string) => JSON.stringify(join(packageFolder, path));

/** Bundles a source as the functions are bundled. */
async function bundle(name: string, ...lines: readonly string[]): Promise<void> {
  await writeFile(join(directory, `${name}.ts`), lines.join('\n'));
  await buildFunctions({ outDir: directory, entries: { [name]: join(directory, `${name}.ts`) } });
}

/**
 * Runs the body of an async function over what a bundle exports, in a Node of its own: what the test runner's loader does to modules must not count
 * here.
 */
async function run(name: string, body: string, environment: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const path = pathToFileURL(join(directory, name, 'handler.mjs')).href;
  const code = `const made = await import(${JSON.stringify(path)}); process.stdout.write(JSON.stringify(await (async () => { ${body} })()));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    env: environment,
  });
  return JSON.parse(stdout);
}

async function originOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a CommonJS package inside a bundle finds its builtins, and an error says its name', async () => {
  await writeFile(join(directory, 'old.cjs'), `const { sep } = require('path');\nmodule.exports = { sep };\n`);
  await writeFile(join(directory, 'bridge.ts'), `import old from './old.cjs';\nexport { old };\n`);
  await bundle(
    'common',
    `import { createHash } from 'node:crypto';`,
    `import { old } from './bridge.ts';`,
    `class TooLateError extends Error { override readonly name = 'TooLateError'; }`,
    `export const answer = [createHash('sha256').update('x').digest('hex').length, old.sep, new TooLateError().name];`,
  );

  expect(await run('common', 'return made.answer;')).toEqual([64, '/', 'TooLateError']);
});

/** What a client of HTTP/1.1 may use of undici's entry, against a gateway, and what it may not. */
test("undici's entry inside a bundle sends requests, by a proxy too, and says what it lacks", async () => {
  const server = createServer((request, response) => response.end(`${request.method} ${request.url}`));
  server.on('connect', (_request, socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    server.emit('connection', socket);
  });
  await bundle(
    'http',
    `import { EnvHttpProxyAgent, fetch, Pool, ProxyAgent, request } from ${inProject('node_modules/undici/index.js')};`,
    `export async function answers(origin) {`,
    `  const text = async ({ body }) => body.text();`,
    `  const pool = new Pool(origin);`,
    `  const proxies = [new ProxyAgent({ uri: origin, proxyTunnel: true }), new EnvHttpProxyAgent({ httpProxy: origin, proxyTunnel: true })];`,
    `  const [proxied, byEnvironment] = await Promise.all(proxies.map(async (dispatcher) => text(await request(\`\${origin}/proxied\`, { dispatcher }))));`,
    `  const found = [await text(await pool.request({ path: '/pool', method: 'PATCH', body: '{}' })), await text(await request(\`\${origin}/request\`)), proxied, byEnvironment];`,
    `  await Promise.all([pool, ...proxies].map((dispatcher) => dispatcher.destroy()));`,
    `  return [...found, await Promise.try(() => fetch(origin)).catch((error) => error.message)];`,
    `}`,
  );

  expect(await run('http', `return made.answers(${JSON.stringify(await originOf(server))});`)).toEqual([
    'PATCH /pool',
    'GET /request',
    'GET /proxied',
    'GET /proxied',
    expect.stringContaining('not in the bundle'),
  ]);
});

/** What the bundles leave out of the clients of AWS must not be missed by them: here they run as they are deployed. */
describe('the clients of AWS inside a bundle', () => {
  beforeAll(async () =>
    bundle(
      'aws',
      `export { createDynamoDbClient } from ${inProject('shared/aws/dynamodb-ledger.ts')};`,
      `export * from ${inProject('node_modules/@aws-sdk/client-dynamodb/dist-es/index.js')};`,
    ),
  );

  const keys = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

  test('have their credentials from the environment alone', async () => {
    const file = join(directory, 'profiles');
    await writeFile(file, '[default]\naws_access_key_id = theirs\naws_secret_access_key = theirs\n');
    const said = `return made.createDynamoDbClient().config.credentials().catch((error) => error.message);`;
    const environment = { ...keys, AWS_SHARED_CREDENTIALS_FILE: file };

    expect(await run('aws', said, environment)).toMatchObject({ accessKeyId: 'key' });
    expect(await run('aws', said, { ...environment, AWS_ACCESS_KEY_ID: '' })).toMatch(
      /environment variable credentials/,
    );
  });

  test('say what they are, sign with what the environment holds, and repeat what failed', async () => {
    const { origin, requests } = await startAws([
      { status: 500, body: { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: 'again' } },
      { status: 200, body: { Item: { pk: { S: 'one' } } } },
    ]);
    const { version }: { version: string } = JSON.parse(
      await readFile(join(packageFolder, 'node_modules/@aws-sdk/client-dynamodb/package.json'), 'utf8'),
    );

    const answer = await run(
      'aws',
      `const { Item, $metadata } = await made.createDynamoDbClient().send(new made.GetItemCommand({ TableName: 't', Key: { pk: { S: 'one' } } })); return { Item, attempts: $metadata.attempts };`,
      { ...keys, AWS_SESSION_TOKEN: 'session', AWS_ENDPOINT_URL: origin },
    );

    expect(answer).toEqual({ Item: { pk: { S: 'one' } }, attempts: 2 });
    expect(requests.map(({ headers }) => headers['user-agent'])).toEqual([
      expect.stringContaining(`aws-sdk-js/${version}`),
      expect.stringContaining(`aws-sdk-js/${version}`),
    ]);
    expect(requests[0]?.headers['authorization']).toContain('Credential=key/');
    expect(requests[0]?.headers['x-amz-security-token']).toBe('session');
    expect(requests[0]?.headers['amz-sdk-invocation-id']).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/);
  });

  test('read why a transaction was cancelled', async () => {
    const CancellationReasons = [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Message: 'no' }];
    const type = 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException';
    const { origin, requests } = await startAws([
      { status: 400, body: { __type: type, Message: 'why', CancellationReasons } },
    ]);

    const error = await run(
      'aws',
      `const put = new made.TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: 't', Item: { pk: { S: 'one' } } } }], ClientRequestToken: 'w' });
       const error = await made.createDynamoDbClient().send(put).catch((thrown) => thrown);
       return { isOurs: error instanceof made.TransactionCanceledException, message: error.message, reasons: error.CancellationReasons };`,
      { ...keys, AWS_ENDPOINT_URL: origin },
    );

    expect(error).toEqual({ isOurs: true, message: 'why', reasons: CancellationReasons });
    expect(requests).toHaveLength(1);
  });
});

/** Answers one after the other what DynamoDB would say. */
async function startAws(answers: readonly { readonly status: number; readonly body: object }[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[requests.push(request) - 1];
    request.resume().on('end', () => {
      response.writeHead(answer?.status ?? 404, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(answer?.body ?? {}));
    });
  });
  return { origin: await originOf(server), requests };
}
