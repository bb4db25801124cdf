/** What an operator works with: a run on this machine, or a stage in AWS. */
export type Target =
  | { readonly kind: 'local'; readonly stage: string; readonly endpoint: string; readonly region: string }
  | { readonly kind: 'aws'; readonly stage: string; readonly profile?: string; readonly region?: string };

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that the AWS clients read. For a local run everything that could lead elsewhere is taken away (profiles, files, session
 * tokens, endpoints of single services) and the credentials are invented: it cannot reach an account even by mistake.
 */
export function clientEnvironment(target: Target, env: Environment): Record<string, string | undefined> {
  if (target.kind === 'aws') {
    return {
      ...env,
      ...(target.profile === undefined ? {} : { AWS_PROFILE: target.profile }),
      ...(target.region === undefined ? {} : { AWS_REGION: target.region }),
    };
  }
  const own = Object.entries(env).filter(([name]) => !name.startsWith('AWS_'));
  return {
    ...Object.fromEntries(own),
    AWS_ENDPOINT_URL: target.endpoint,
    AWS_REGION: target.region,
    AWS_ACCESS_KEY_ID: 'DEVELOPER',
    AWS_SECRET_ACCESS_KEY: 'invented',
    AWS_CONFIG_FILE: nowhere,
    AWS_SHARED_CREDENTIALS_FILE: nowhere,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

/** A path that no file can have. */
const nowhere = '/dev/null/none';
