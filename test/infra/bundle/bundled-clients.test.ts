import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import { packageFolder } from '#shared/places.ts';

const inProject = (path: string) => JSON.stringify(join(packageFolder, path));

/**
 * What the bundles leave out of the clients of AWS must not be missed by them: here they run as
 * they are deployed.
 */
describe('the clients of AWS inside a bundle', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'autopilot-bundled-'));
    await writeFile(
      join(directory, 'entry.ts'),
      [
        `export { createDynamoDbClient } from ${inProject('shared/aws/dynamodb-ledger.ts')};`,
        `export * from ${inProject('node_modules/@aws-sdk/client-dynamodb/dist-es/index.js')};`,
      ].join('\n'),
    );
    await buildFunctions({ outDir: directory, entries: { made: join(directory, 'entry.ts') } });
  });

  afterAll(async () => {
    await Promise.all([stop(), rm(directory, { recursive: true })]);
  });

  /**
   * Runs the body of an async function over what the bundle exports, in a Node whose environment is
   * only this.
   */
  async function run(body: string, environment: Readonly<Record<string, string>>): Promise<unknown> {
    const path = pathToFileURL(join(directory, 'made', 'handler.mjs')).href;
    const code = `const aws = await import(${JSON.stringify(path)}); process.stdout.write(JSON.stringify(await (async () => { ${body} })()));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
      env: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', ...environment },
    });
    return JSON.parse(stdout);
  }

  test('have their credentials from the environment alone', async () => {
    const file = join(directory, 'profiles');
    await writeFile(file, '[default]\naws_access_key_id = theirs\naws_secret_access_key = theirs\n');
    const said = `return aws.createDynamoDbClient().config.credentials().catch((error) => error.message);`;
    const environment = { AWS_REGION: 'eu-west-1', AWS_SHARED_CREDENTIALS_FILE: file };

    expect(await run(said, environment)).toMatchObject({ accessKeyId: 'key' });
    expect(await run(said, { ...environment, AWS_ACCESS_KEY_ID: '' })).toMatch(/environment variable credentials/);
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
      `const { Item, $metadata } = await aws.createDynamoDbClient().send(new aws.GetItemCommand({ TableName: 't', Key: { pk: { S: 'one' } } })); return { Item, attempts: $metadata.attempts };`,
      { AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: 'session', AWS_ENDPOINT_URL: origin },
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
      `const put = new aws.TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: 't', Item: { pk: { S: 'one' } } } }], ClientRequestToken: 'w' });
       const error = await aws.createDynamoDbClient().send(put).catch((thrown) => thrown);
       return { isOurs: error instanceof aws.TransactionCanceledException, message: error.message, reasons: error.CancellationReasons };`,
      { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: origin },
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
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
