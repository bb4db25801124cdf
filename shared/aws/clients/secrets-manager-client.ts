import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { ClientSettings } from './client-settings.ts';

/**
 * Secrets Manager; the region, the credentials and a local endpoint come from the settings, else
 * from the environment.
 */
export function createSecretsManagerClient(settings: ClientSettings = {}): SecretsManagerClient {
  return new SecretsManagerClient(settings);
}
