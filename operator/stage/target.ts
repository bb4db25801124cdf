import type { ClientSettings } from '#shared/aws/clients/client-settings.ts';

/** What an operator works with: a run on this machine, or a stage in AWS. */
export type Target =
  | {
      readonly kind: 'local';
      readonly stage: string;
      readonly endpoint: string;
      readonly region: string;
      /** The one policy of the stage that the person has; absent: the developer, who may do everything. */
      readonly policy?: string;
    }
  | { readonly kind: 'aws'; readonly stage: string; readonly profile?: string; readonly region?: string };

/**
 * Where the AWS clients call for a target, and as whom. For a local run endpoint and credentials are given and invented: whatever profile, token
 * or endpoint the person's environment has, the clients cannot reach an account even by mistake.
 */
export function clientSettings(target: Target): ClientSettings {
  if (target.kind === 'aws') return { profile: target.profile, region: target.region };
  return {
    endpoint: target.endpoint,
    region: target.region,
    // The local run knows a caller by the key alone (local/iam/people.ts).
    credentials: {
      accessKeyId: target.policy === undefined ? 'DEVELOPER' : `POLICY-${target.policy}`,
      secretAccessKey: 'invented',
    },
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
  };
}
