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

  const settings = `const { config } = aws.createDynamoDbClient();
    return { region: await config.region(), attempts: await config.maxAttempts(), fips: await config.useFipsEndpoint() };`;

  test('have their settings from the environment', async () => {
    const environment = { AWS_REGION: 'eu-west-1', AWS_MAX_ATTEMPTS: '7', AWS_USE_FIPS_ENDPOINT: 'true' };

    expect(await run(settings, environment)).toEqual({ region: 'eu-west-1', attempts: 7, fips: true });
    expect(await run(settings, { AWS_REGION: 'eu-west-1' })).toEqual({ region: 'eu-west-1', attempts: 4, fips: false });
  });

  test('have their credentials from the environment alone', async () => {
    const file = join(directory, 'profiles');
    await writeFile(file, '[default]\naws_access_key_id = theirs\naws_secret_access_key = theirs\n');
    const said = `return aws.createDynamoDbClient().config.credentials().catch((error) => error.message);`;
    const environment = { AWS_REGION: 'eu-west-1', AWS_SHARED_CREDENTIALS_FILE: file };

    expect(await run(said, environment)).toMatchObject({ accessKeyId: 'key' });
    expect(await run(said, { ...environment, AWS_ACCESS_KEY_ID: '' })).toMatch(/environment variable credentials/);
  });

  test('find the service of their region, as the endpoint rules have it', async () => {
    const asked = `const client = aws.createDynamoDbClient({ requestHandler: { metadata: {}, handle: async (request) => { throw Object.assign(new Error(request.protocol + '//' + request.hostname), { name: 'Seen' }); } } });
      try { await client.send(new aws.ListTablesCommand({})); } catch (error) { return error.message; }`;

    expect(await run(asked, { AWS_REGION: 'eu-west-1' })).toBe('https://dynamodb.eu-west-1.amazonaws.com');
    expect(await run(asked, { AWS_REGION: 'cn-north-1' })).toBe('https://dynamodb.cn-north-1.amazonaws.com.cn');
    expect(await run(asked, { AWS_REGION: 'us-gov-west-1', AWS_USE_FIPS_ENDPOINT: 'true' })).toBe(
      'https://dynamodb.us-gov-west-1.amazonaws.com',
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

  test('throw errors of the class, the name and the fields that the package has', async () => {
    const { origin } = await startAws([
      {
        status: 400,
        body: {
          __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
          message: 'no',
          Item: { pk: { S: 'one' } },
        },
      },
      { status: 400, body: { __type: 'com.amazonaws.dynamodb.v20120810#NobodyKnowsIt', message: 'new' } },
    ]);

    const errors = await run(
      `const put = () => aws.createDynamoDbClient().send(new aws.PutItemCommand({ TableName: 't', Item: { pk: { S: 'one' } } })).catch((error) => error);
       const told = (error) => ({ name: error.name, message: error.message, fault: error.$fault, item: error.Item,
         kinds: ['ConditionalCheckFailedException', 'ResourceNotFoundException', 'DynamoDBServiceException'].filter((name) => error instanceof aws[name]) });
       return [told(await put()), told(await put())];`,
      { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: origin },
    );

    expect(errors).toEqual([
      {
        name: 'ConditionalCheckFailedException',
        message: 'no',
        fault: 'client',
        item: { pk: { S: 'one' } },
        kinds: ['ConditionalCheckFailedException', 'DynamoDBServiceException'],
      },
      { name: 'NobodyKnowsIt', message: 'new', fault: 'client', kinds: ['DynamoDBServiceException'] },
    ]);
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
