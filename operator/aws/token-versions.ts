import {
  DescribeSecretCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { throwIfDeleted } from '#shared/aws/secret-token.ts';
import { AppError } from '#shared/errors/app-error.ts';

/** A token that was put beside the one in use. */
export interface PendingToken {
  readonly versionId: string;
  /**
   * There was none before: Secrets Manager makes the first version of a secret the current one at
   * once.
   */
  readonly isFirst: boolean;
}

/** Puts a new token into the secret; no worker uses it before it is promoted. */
export interface TokenVersions {
  readonly put: (secret: string) => Promise<PendingToken>;
  /**
   * Makes a version the one that all readers get; the one before stays readable as AWSPREVIOUS.
   * @throws AppError PROMOTED_BY_ANOTHER if another caller changed the current one meanwhile
   */
  readonly promote: (versionId: string) => Promise<void>;
  /**
   * Takes the label AWSPENDING off a version, promoted or not. If it is gone already, that is fine:
   * the next token that is put in takes it away. Secrets Manager deletes versions without a label
   * by itself.
   */
  readonly withdraw: (versionId: string) => Promise<void>;
}

const pending = 'AWSPENDING';
const current = 'AWSCURRENT';

function throwAs(error: unknown, secretArn: string): never {
  throwIfDeleted(error, secretArn);
  throw error;
}

/** The versions of one secret. The value that is in use is never read here. */
export function createTokenVersions(client: SecretsManagerClient, secretArn: string): TokenVersions {
  const holderOf = async (label: string): Promise<string | undefined> => {
    const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId: secretArn }));
    return Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes(label))?.[0];
  };

  return {
    async put(secret) {
      const before = await holderOf(current);
      const put = new PutSecretValueCommand({ SecretId: secretArn, SecretString: secret, VersionStages: [pending] });
      const { VersionId: versionId = '' } = await client.send(put).catch((error: unknown) => throwAs(error, secretArn));
      return { versionId, isFirst: before === undefined };
    },

    async promote(versionId) {
      const before = await holderOf(current);
      if (before === versionId) return;
      try {
        await client.send(
          new UpdateSecretVersionStageCommand({
            SecretId: secretArn,
            VersionStage: current,
            MoveToVersionId: versionId,
            // Secrets Manager moves the label only if it is still there.
            RemoveFromVersionId: before,
          }),
        );
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'InvalidParameterException') throw error;
        throw new AppError('another token was put in at the same time: nothing was promoted, try again', {
          code: 'PROMOTED_BY_ANOTHER',
          retryable: true,
          cause: error,
        });
      }
    },

    async withdraw(versionId) {
      try {
        await client.send(
          new UpdateSecretVersionStageCommand({
            SecretId: secretArn,
            VersionStage: pending,
            RemoveFromVersionId: versionId,
          }),
        );
      } catch (error) {
        if ((await holderOf(pending)) === versionId) throw error;
      }
    },
  };
}
