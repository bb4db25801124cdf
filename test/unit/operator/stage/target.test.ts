import { afterEach, expect, test, vi } from 'vitest';
import { clientSettings, type Target } from '#operator/stage/target.ts';
import type { ClientSettings } from '#shared/aws/clients/client-settings.ts';
import { createCloudFormationClient } from '#shared/aws/clients/cloudformation-client.ts';
import { createDynamoDbClient } from '#shared/aws/clients/dynamodb-client.ts';
import { createEventBridgeClient } from '#shared/aws/clients/eventbridge-client.ts';
import { createLambdaClient } from '#shared/aws/clients/lambda-client.ts';
import { createS3Client } from '#shared/aws/clients/s3-client.ts';
import { createSchedulerClient } from '#shared/aws/clients/scheduler-client.ts';
import { createSecretsManagerClient } from '#shared/aws/clients/secrets-manager-client.ts';
import { createSnsClient } from '#shared/aws/clients/sns-client.ts';
import { createSqsClient } from '#shared/aws/clients/sqs-client.ts';

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

const local: Target = { kind: 'local', stage: 'local', endpoint: 'http://127.0.0.1:4566', region: 'eu-west-1' };

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
  '%s calls a local run with invented credentials, whatever the environment has',
  async (_name, make) => {
    for (const [name, value] of Object.entries(ownEnvironment)) vi.stubEnv(name, value);

    const { config } = make(clientSettings(local));

    expect(await config.endpoint?.()).toMatchObject({ hostname: '127.0.0.1', port: 4566 });
    expect(await config.region()).toBe('eu-west-1');
    expect(await config.useFipsEndpoint()).toBe(false);
    const { accessKeyId, secretAccessKey, sessionToken } = {
      sessionToken: undefined,
      ...(await credentialsOf(config)),
    };
    expect({ accessKeyId, secretAccessKey, sessionToken }).toEqual({
      accessKeyId: 'DEVELOPER',
      secretAccessKey: 'invented',
      sessionToken: undefined,
    });
  },
);

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
