import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { chooseTarget } from '#cli/terminal/choose-target.ts';
import { failureOf } from '#operator/failures.ts';
import { keptStartFile } from '#shared/state-folder/kept-start.ts';
import { stateFolderName } from '#shared/places.ts';
import { createLocalClock } from '#operator/stage/local-stage.ts';
import { clientSettings, provenKey } from '#operator/target.ts';
import { createStageAccess } from '#operator/stage/stage-access.ts';
import { newChallenge, newKey, proofOf, proofPath } from '#shared/net/loopback.ts';
import { type Answer, folderOfKey, relayed, startListener } from './listener.ts';
import type { ClientSettings } from '#shared/aws/client-settings.ts';
import { createCloudFormationClient } from '#shared/aws/stage-outputs.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-ledger.ts';
import { createEventBridgeClient } from '#shared/aws/outcome-bus.ts';
import { createLambdaClient } from '#operator/aws/lambda-function.ts';
import { createS3Client } from '#shared/aws/object-store.ts';
import { createSchedulerClient } from '#shared/aws/schedules.ts';
import { createSecretsManagerClient } from '#shared/aws/secret-token.ts';
import { createSnsClient } from '#operator/aws/topic-subscriptions.ts';
import { createSqsClient } from '#shared/aws/queue.ts';
import { folderOfTest } from '../../builders/test-folder.ts';
import { argumentsOf } from '../../unit/operator/fake-deps.ts';
import { startConnectProxy } from '../shared/gateway-client/connect-proxy.ts';

/** What the person's own shell may have. */
const ownEnvironment = {
  AWS_PROFILE: 'work',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'REAL',
  AWS_SECRET_ACCESS_KEY: 'REAL',
  AWS_SESSION_TOKEN: 'REAL',
  AWS_ENDPOINT_URL: 'https://aws.example.com',
  AWS_ENDPOINT_URL_S3: 'https://s3.example.com',
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_CONFIG_FILE: '/nowhere/config',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
};

const key = newKey();
const folder = folderOfKey(key);
const stage = await startListener((challenge, endpoint) => proofOf(key, endpoint, challenge));
const local = { kind: 'local', stage: 'local', endpoint: stage.endpoint, region: 'eu-west-1', folder } as const;
afterAll(stage.close);

/** The part of a client that says where it calls and as whom. */
interface Called {
  readonly config: {
    readonly region: () => Promise<string>;
    readonly credentials: () => Promise<object>;
    readonly endpoint?: () => Promise<{ readonly hostname: string; readonly port?: number }>;
    readonly useFipsEndpoint: () => Promise<boolean>;
  };
}

const factories: readonly ((settings: ClientSettings) => Called)[] = [
  createCloudFormationClient,
  createDynamoDbClient,
  createEventBridgeClient,
  createLambdaClient,
  createS3Client,
  createSchedulerClient,
  createSecretsManagerClient,
  createSnsClient,
  createSqsClient,
];

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(factories.map((make) => [make.name, make] as const))(
  '%s calls a local run with the key of its folder, whatever the environment has',
  async (_name, make) => {
    for (const [name, value] of Object.entries(ownEnvironment)) vi.stubEnv(name, value);

    const { config } = make(clientSettings(local));

    expect(await config.endpoint?.()).toMatchObject({
      hostname: '127.0.0.1',
      port: Number(new URL(stage.endpoint).port),
    });
    expect(await config.region()).toBe('eu-west-1');
    expect(await config.useFipsEndpoint()).toBe(false);
    const { accessKeyId, secretAccessKey, sessionToken } = {
      sessionToken: undefined,
      ...(await credentialsOf(config)),
    };
    expect({ accessKeyId, secretAccessKey, sessionToken }).toEqual({
      ...key,
      sessionToken: undefined,
    });
  },
);

describe('nothing is sent to a listener that does not prove that it wrote the folder', () => {
  // After a stage had died, another user listened on its port: `autopilot token set` sent that
  // listener the token.
  const other = newKey();
  const impostors: readonly [string, Answer][] = [
    ['that has no key', () => ''],
    ['that has another key', (challenge, endpoint) => proofOf(other, endpoint, challenge)],
    ['that repeats the proof of another challenge', (_, endpoint) => proofOf(key, endpoint, newChallenge())],
    ['that passes on the answer of the stage at its own port', async (challenge) => relayed(stage.endpoint, challenge)],
    ['that sends the question back', (challenge) => challenge],
  ];

  test.each(impostors)('%s', async (_, answer) => {
    await using impostor = await startListener(answer);
    const target = { ...local, endpoint: impostor.endpoint };
    const { tokenVersions } = createStageAccess('local', clientSettings(target));
    const clock = createLocalClock(target);

    const calls = [
      async () => (await tokenVersions()).put('canary'),
      async () => clock.forward(1),
      async () => createSqsClient(clientSettings(target)).send(new ListQueuesCommand()),
    ];

    for (const call of calls)
      await expect(call()).rejects.toThrow(`what listens at ${impostor.endpoint} is not the stage`);
    expect(impostor.received.filter(({ url }) => !url.startsWith(proofPath))).toEqual([]);
    expect(JSON.stringify(impostor.received)).not.toContain(key.secretAccessKey);
  });

  test('that takes the place of the stage between two requests of one client', async () => {
    let isStage = true;
    await using listener = await startListener((challenge, endpoint) =>
      isStage ? proofOf(key, endpoint, challenge) : '',
    );
    const sqs = createSqsClient(clientSettings({ ...local, endpoint: listener.endpoint }));
    await expect(sqs.send(new ListQueuesCommand())).rejects.toThrow('not the service');

    isStage = false;
    const before = listener.received.length;

    await expect(sqs.send(new ListQueuesCommand())).rejects.toThrow('is not the stage');
    expect(listener.received.slice(before).map(({ url }) => url.split('?')[0])).toEqual([proofPath]);
  });

  test('whose folder is open to other users', async () => {
    const open = folderOfKey(other);
    chmodSync(open, 0o755);

    await expect(provenKey({ ...local, folder: open })).rejects.toThrow('other users can open it');
  });

  test('whose folder is not there', async () => {
    const absent = join(folder, 'absent');

    await expect(provenKey({ ...local, folder: absent })).rejects.toThrow(
      `or start it: autopilot start --data ${absent}`,
    );
  });

  test('whose folder lies above, as in a subfolder of a stage', async () => {
    const project = folderOfTest();
    const state = join(project, stateFolderName);
    mkdirSync(state);
    writeFileSync(join(state, keptStartFile), '{}');

    await expect(provenKey({ ...local, folder: join(project, 'datasets', 'pii', stateFolderName) })).rejects.toThrow(
      `, and the one of ${project} lies above: \`cd ${project}\`, or name it with --data ${state}`,
    );
  });
});

// A process that had opened a thousand stages kept a connection of each client, and the next was refused.
test('the clients of stages on this machine share their connections', async () => {
  await using listener = await startListener((challenge, endpoint) => proofOf(key, endpoint, challenge));

  for (let client = 1; client <= 3; client++) {
    const sqs = createSqsClient(clientSettings({ ...local, endpoint: listener.endpoint }));
    await expect(sqs.send(new ListQueuesCommand())).rejects.toThrow('not the service');
  }

  const requests = listener.received.filter(({ url }) => !url.startsWith(proofPath));
  expect([requests.length, new Set(requests.map(({ port }) => port)).size]).toEqual([3, 1]);
});

async function credentialsOf({ credentials }: Called['config']) {
  return (await credentials()) as { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

test.each(factories.map((make) => [make.name, make] as const))(
  '%s calls the region that the flags name, and two stages at once do not meet',
  async (_name, make) => {
    vi.stubEnv('AWS_REGION', 'us-east-1');

    const one = make(clientSettings({ kind: 'aws', stage: 'prod', region: 'eu-west-2' }));
    const other = make(clientSettings({ kind: 'aws', stage: 'prod', region: 'eu-central-1' }));
    const own = make(clientSettings({ kind: 'aws', stage: 'prod' }));

    expect(await Promise.all([one, other, own].map(({ config }) => config.region()))).toEqual([
      'eu-west-2',
      'eu-central-1',
      'us-east-1',
    ]);
  },
);

test('a profile is handed to the clients, and the environment stays as it is', () => {
  const before = { ...process.env };

  expect(clientSettings({ kind: 'aws', stage: 'prod', profile: 'ops', region: 'eu-west-2' })).toEqual({
    profile: 'ops',
    region: 'eu-west-2',
  });
  expect({ ...process.env }).toEqual(before);
});

/** Asks for the outputs of a stage in AWS, in the environment of a person. */
async function failureIn(env: Readonly<Record<string, string>>) {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'A');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'B');
  const words = ['--aws', '--stage', 'prod', '--region', 'eu-west-1'];
  const args = argumentsOf({ line: { says: '' } }, ...words);
  const target = chooseTarget({ args, env, cwd: '/', readText: () => undefined });
  const access = createStageAccess('prod', clientSettings(target));
  return access.outputs().catch((error: unknown) => failureOf(error, target));
}

test('a stage in AWS is reached through the HTTPS_PROXY of the person', async () => {
  const proxy = await startConnectProxy(() => 9);
  proxy.next(...Array<403>(20).fill(403));

  const failure = await failureIn({ HTTPS_PROXY: proxy.url });

  expect(proxy.asked.map(({ authority }) => authority)).toContain('cloudformation.eu-west-1.amazonaws.com:443');
  expect(failure).toMatchObject({ message: expect.stringContaining('HTTPS_PROXY') });
});

test.each(['NO_PROXY', 'no_proxy'])('what %s names is reached past the proxy', async (name) => {
  const proxy = await startConnectProxy(() => 9);
  let reached = 0;
  const direct = createServer((socket) => {
    reached += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(direct, 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL', `https://127.0.0.1:${(direct.address() as AddressInfo).port}`);

  await failureIn({ HTTPS_PROXY: proxy.url, [name]: '10.0.0.1,127.0.0.1' });

  direct.close();
  expect([proxy.asked, reached > 0]).toEqual([[], true]);
});
