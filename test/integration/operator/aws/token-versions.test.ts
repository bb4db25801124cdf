import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, expect, test } from 'vitest';
import { createTokenVersions } from '#operator/aws/token-versions.ts';
import { startLocalAws } from '../../local/aws/start-local-aws.ts';

const secret = 'gateway-token';
const aws = await startLocalAws();
afterAll(aws.close);
const operator = new SecretsManagerClient(aws.developer);
const worker = new SecretsManagerClient(aws.worker);

/** What a worker reads: the current value, or that of one version. */
async function read(version: { readonly VersionId?: string; readonly VersionStage?: string } = {}) {
  const answer = await worker.send(new GetSecretValueCommand({ SecretId: secret, ...version }));
  return { value: answer.SecretString, stages: answer.VersionStages?.toSorted() };
}

test('a token is put beside the one in use, read by its version, and promoted or withdrawn', async () => {
  const versions = createTokenVersions(operator, secret);

  const first = await versions.put('one');
  expect(first.isFirst).toBe(true);
  expect(await read()).toEqual({ value: 'one', stages: ['AWSCURRENT', 'AWSPENDING'] }); // as Secrets Manager does with the first of all
  await versions.promote(first.versionId);
  await versions.withdraw(first.versionId);
  expect(await read()).toEqual({ value: 'one', stages: ['AWSCURRENT'] });

  const second = await versions.put('two');
  expect(second.isFirst).toBe(false);
  expect((await read()).value).toBe('one');
  expect(await read({ VersionId: second.versionId })).toEqual({ value: 'two', stages: ['AWSPENDING'] });
  await versions.promote(second.versionId);
  await versions.withdraw(second.versionId);
  expect(await read()).toEqual({ value: 'two', stages: ['AWSCURRENT'] });
  expect((await read({ VersionStage: 'AWSPREVIOUS' })).value).toBe('one');

  const third = await versions.put('three');
  await versions.withdraw(third.versionId);
  expect((await read()).value).toBe('two');
  await expect(read({ VersionStage: 'AWSPENDING' })).rejects.toThrow("can't find the specified secret value");
});

test('of two who put a token in at once each one ends as it should, in either order', async () => {
  const [mine, theirs] = [createTokenVersions(operator, secret), createTokenVersions(operator, secret)];
  const first = await mine.put('first');
  const second = await theirs.put('second'); // takes the label AWSPENDING away from the first

  await mine.promote(first.versionId);
  await mine.withdraw(first.versionId); // failed: the label was not there any more
  expect((await read()).value).toBe('first');
  expect(await read({ VersionStage: 'AWSPENDING' })).toEqual({ value: 'second', stages: ['AWSPENDING'] });

  await theirs.promote(second.versionId);
  await theirs.withdraw(second.versionId);
  expect(await read()).toEqual({ value: 'second', stages: ['AWSCURRENT'] });
});

test('a label that cannot be taken off is said', async () => {
  const { versionId } = await createTokenVersions(operator, secret).put('kept');
  const failing = new SecretsManagerClient(aws.developer);
  failing.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'UpdateSecretVersionStageCommand') throw new Error('no permission');
      return next(args);
    },
    { step: 'initialize' },
  );

  await expect(createTokenVersions(failing, secret).withdraw(versionId)).rejects.toThrow('no permission');
  failing.destroy();
});

test('if another person changes the current token at the same time, theirs stays and that is said', async () => {
  const pending = await createTokenVersions(operator, secret).put('mine');
  // Between the look and the move.
  const racing = new SecretsManagerClient(aws.developer);
  racing.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'UpdateSecretVersionStageCommand') {
        await operator.send(new PutSecretValueCommand({ SecretId: secret, SecretString: 'theirs' }));
      }
      return next(args);
    },
    { step: 'initialize' },
  );

  const promoting = createTokenVersions(racing, secret).promote(pending.versionId);

  await expect(promoting).rejects.toMatchObject({ code: 'PROMOTED_BY_ANOTHER' });
  expect((await read()).value).toBe('theirs');
  racing.destroy();
});
