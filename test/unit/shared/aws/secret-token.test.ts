import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { AppError } from '#shared/errors/app-error.ts';
import { createSecretToken, NoTokenError } from '#shared/aws/secret-token.ts';

/**
 * A client whose requests end in the process: what the secret holds, or an error, and how often it
 * was asked.
 */
function clientOf(secret: () => string, kept: 'SecretString' | 'SecretBinary' = 'SecretString') {
  const client = new SecretsManagerClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  let asked = 0;
  client.middlewareStack.add(
    () => async (args) => {
      expect(args.input).toEqual(new GetSecretValueCommand({ SecretId: 'arn' }).input);
      asked += 1;
      const value = kept === 'SecretString' ? secret() : Buffer.from(secret());
      return { response: {}, output: { $metadata: {}, [kept]: value } };
    },
    { step: 'initialize', priority: 'high' },
  );
  return { client, asked: () => asked };
}

const tokenOf = (...secret: Parameters<typeof clientOf>) =>
  createSecretToken({ client: clientOf(...secret).client, secretArn: 'arn' });

test.each([
  ['plain text', 'token-1\n', 'token-1'],
  ['JSON with an expiry', '{"token":" token-1 ","expiresAt":"2027-01-01"}', 'token-1'],
])('reads a token from %s', async (_form, secret, token) => {
  expect(await tokenOf(() => secret).get()).toBe(token);
});

test('reads a token that was put as binary', async () => {
  expect(await tokenOf(() => 'token-1\n', 'SecretBinary').get()).toBe('token-1');
});

test.each([
  ['"canary"', 'the token stands in quotes'],
  ["'canary'\n", 'the token stands in quotes'],
  ['{"access_token":"canary","expires_in":3600}', 'write that field as "token"'],
])('names what is wrong with %s', async (secret, says) => {
  await expect(tokenOf(() => secret).get()).rejects.toThrow(says);
});

test.each([
  ['an empty secret', ''],
  ['a token in quotes', '"canary"'],
  ['JSON that names its token otherwise', '{"access_token":"canary"}'],
  ['JSON that is none', '{"token": canary'],
  ['JSON without a token', '{"value":"canary"}'],
  ['JSON with an empty token', '{"token":" "}'],
  ['a token with a line break', 'canary\r\nx-evil: 1'],
  ['JSON with a line break in its token', '{"token":"canary\\nx-evil: 1"}'],
  ['a header instead of a token', 'Bearer canary'],
  ['a file that is no token', 'canary '.repeat(2000)],
])('[F3] says NO_TOKEN for %s and never quotes it', async (_what, secret) => {
  const { client } = clientOf(() => secret);
  const fetched: string[] = [];
  const token = createSecretToken({ client, secretArn: 'arn', onToken: (text) => fetched.push(text) });

  const error: unknown = await token.get().catch((caught: unknown) => caught);

  expect(error).toBeInstanceOf(NoTokenError);
  expect(String(error)).not.toContain('canary');
  expect(fetched).toEqual([]);
});

test('says NO_TOKEN if the secret has no value yet', async () => {
  const token = tokenOf(() => {
    throw new ResourceNotFoundException({ message: 'no value', $metadata: {} });
  });

  await expect(token.get()).rejects.toThrow('has no value yet');
});

test('tells when the token expires, if the secret says so', async () => {
  const told: unknown[] = [];
  const onToken = (...found: unknown[]) => void told.push(found);

  for (const secret of [
    '{"token":"t","expiresAt":"2027-01-01T00:00:00Z"}',
    '{"token":"t","expiresAt":1795700000}',
    't',
  ]) {
    await createSecretToken({ client: clientOf(() => secret).client, secretArn: 'arn', onToken }).get();
  }

  expect(told).toEqual([
    ['t', '2027-01-01T00:00:00Z'],
    ['t', '2026-11-26T13:33:20.000Z'],
    ['t', undefined],
  ]);
});

/** An error as the SDK makes it: known by its name. */
function awsError(name: string): Error {
  return Object.assign(new Error('of secret canary'), { name });
}

test.each(['AccessDeniedException', 'DecryptionFailure', 'InvalidRequestException'])(
  '[F4] says that a person must act after %s, which is what a missing grant and a disabled key come to',
  async (name) => {
    const token = tokenOf(() => {
      throw awsError(name);
    });

    const error: unknown = await token.get().catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ retryable: false, message: expect.stringContaining(name) });
  },
);

test('[F4] names the command that restores a secret which is marked for deletion', async () => {
  const message = "You can't perform this operation on the secret because it was marked for deletion.";
  const token = tokenOf(() => {
    throw Object.assign(new Error(message), { name: 'InvalidRequestException' });
  });

  await expect(token.get()).rejects.toMatchObject({
    code: 'TOKEN_DELETED',
    retryable: false,
    message: expect.stringContaining('aws secretsmanager restore-secret --secret-id'),
  });
});

test.each(['ThrottlingException', 'InternalServiceError', 'TimeoutError'])(
  '[F4] lets %s heal by itself, and asks again with the next call',
  async (name) => {
    const answers = [awsError(name), 'token-1'];
    const token = tokenOf(() => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer ?? '';
    });

    await expect(token.get()).rejects.toMatchObject({ name });
    expect(await token.get()).toBe('token-1');
  },
);

test('[F2] fetches once for callers at the same time, keeps it, and fetches again when asked to', async () => {
  let current = 'old';
  const { client, asked } = clientOf(() => current);
  const token = createSecretToken({ client, secretArn: 'arn' });

  const both = await Promise.all([token.get(), token.get()]);
  current = 'new';
  const kept = await token.get();
  const refreshed = await Promise.all([token.refresh(), token.refresh()]);

  expect([...both, kept, ...refreshed]).toEqual(['old', 'old', 'old', 'new', 'new']);
  expect(asked()).toBe(2);
});
