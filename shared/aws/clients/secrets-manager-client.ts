import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** Secrets Manager; the region, the credentials and a local endpoint come from the environment. */
export function createSecretsManagerClient(): SecretsManagerClient {
  return new SecretsManagerClient({});
}
