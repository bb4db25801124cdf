import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { aroundPosts, createGatewayWithin } from '#functions/_gateway/gateway-calls.ts';
import { createSecretToken } from '#shared/aws/secret-token.ts';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { answerWell, type Doing, refuse } from '../bench/doings.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import { createUploadsQueue } from '../queue/queue-bench.ts';

/**
 * A secret whose value can be changed, and how often it was asked for. Secrets Manager takes its
 * time to answer.
 */
function createSecret(first: string, untilAnswer: () => Promise<unknown> = async () => sleep(30)) {
  const client = new SecretsManagerClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  onTestFinished(() => client.destroy());
  let value = first;
  let asked = 0;
  client.middlewareStack.add(
    () => async () => {
      asked += 1;
      const SecretString = value;
      await untilAnswer();
      return { response: {}, output: { $metadata: {}, SecretString } };
    },
    { step: 'initialize', priority: 'high' },
  );
  return {
    token: createSecretToken({ client, secretArn: 'arn' }),
    asked: () => asked,
    put: (next: string) => {
      value = next;
    },
  };
}

/** Answers only who has the token of that moment. */
const onlyFor =
  (token: () => string, doing: Doing): Doing =>
  (exchange) =>
    (exchange.request.headers['authorization'] === `Bearer ${token()}` ? doing : refuse(401))(exchange);

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

test('[A20 F1 F2] a token rotated in the middle of a batch, the old one revoked at once, fails no message and is read once more', async () => {
  const secret = createSecret('old-token');
  const gateway = await startRawGateway();
  let valid = 'old-token';
  gateway.always(onlyFor(() => valid, answerWell));
  gateway.next(
    ...Array.from({ length: 4 }, () => answerWell),
    afterwards(answerWell, () => {
      valid = 'new-token';
      secret.put('new-token');
    }),
  );
  const { bench, queue, outcomes, invoke } = createUploadsQueue();
  bench.deps.token = secret.token;
  const { baseUrl } = gateway;
  const options = { baseUrl, tokenProvider: secret.token, log: quiet, random: () => 0 };
  bench.deps.gatewayWithin = createGatewayWithin(options, aroundPosts);
  for (let index = 0; index < 10; index += 1) {
    const body = `prompt,label\nrule ${index},true\nwhat?,false\n`;
    queue.send(bench.put({ key: `datasets/pii/${index}.csv`, versionId: 'v1', body }));
  }

  await queue.poll(invoke);

  expect(queue.left()).toBe(0);
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 10 }, () => 'applied'));
  expect([...gateway.datasets.values()]).toEqual(Array.from({ length: 10 }, () => 1));
  expect(secret.asked()).toBe(2);
});

test('[F2] ten calls at once that hold the old token read the secret once between them', async () => {
  // However far apart the ten are refused, the secret answers once all of them have asked for it.
  const allAsk = Promise.withResolvers<void>();
  let asking = 0;
  const secret = createSecret('old-token', async () => (asking === 0 ? undefined : allAsk.promise));
  await secret.token.get();
  secret.put('new-token');
  const tokenProvider = {
    get: async () => secret.token.get(),
    async refresh() {
      asking += 1;
      if (asking === 10) allAsk.resolve();
      return secret.token.refresh();
    },
  };
  const gateway = await startRawGateway();
  gateway.always(onlyFor(() => 'new-token', answerWell));
  const client = clientOf(gateway.baseUrl, { tokenProvider });

  const answers = await Promise.all(
    Array.from({ length: 10 }, () => client.getCampaign({ campaignId: '018f0000-0000-7000-8000-00000000c0de' })),
  );

  expect(answers).toHaveLength(10);
  expect(secret.asked()).toBe(2);
});

/** Does it, then something of the test's. */
function afterwards(doing: Doing, then: () => void): Doing {
  return (exchange) => {
    doing(exchange);
    then();
  };
}
