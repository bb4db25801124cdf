import type { ClientSettings } from '#shared/aws/clients/client-settings.ts';
import type { AccessKey } from '#shared/net/request-signature.ts';
import { type LocalStage, provenKey } from './proven-stage.ts';

/** What an operator works with: a run on this machine, or a stage in AWS. */
export type Target =
  | (LocalStage & {
      readonly kind: 'local';
      readonly stage: string;
      readonly region: string;
      /** The one policy of the stage that the person has; absent: the developer, who may do everything. */
      readonly policy?: string;
    })
  | { readonly kind: 'aws'; readonly stage: string; readonly profile?: string; readonly region?: string };

/**
 * Where the AWS clients call for a target, and as whom. For a local run the endpoint is given, and the key is that of the stage's folder: whatever
 * profile, token or endpoint the person's environment has, the clients cannot reach an account even by mistake. The key expires at once, so the
 * stage proves itself before each request.
 */
export function clientSettings(target: Target): ClientSettings {
  if (target.kind === 'aws') return { profile: target.profile, region: target.region };
  return {
    endpoint: target.endpoint,
    region: target.region,
    credentials: async () => ({ ...(await keyOf(target)), expiration: new Date(0) }),
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
  };
}

/** The local run knows who calls by the id (local/aws/iam/attached-policies.ts), and that the call comes from the owner of its folder by the signature. */
async function keyOf(target: Extract<Target, { kind: 'local' }>): Promise<AccessKey> {
  const key = await provenKey(target);
  return target.policy === undefined ? key : { ...key, accessKeyId: `POLICY-${target.policy}` };
}
