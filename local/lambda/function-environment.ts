/** The environment that a function's process starts with: Lambda's own variables and the declared ones, nothing else. */
import { devNull } from 'node:os';

import type { LocalFunction } from './local-function.ts';

/** The log group of a function, as Lambda names it. */
export function logGroupName(fn: LocalFunction): string {
  return `/aws/lambda/${fn.name}`;
}

/** All variables of a function's process. */
export function functionEnvironment(fn: LocalFunction): Record<string, string> {
  const environment: Record<string, string> = {
    ...fn.environment,
    _HANDLER: fn.handler,
    AWS_ACCESS_KEY_ID: fn.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: fn.credentials.secretAccessKey,
    AWS_REGION: fn.region,
    AWS_DEFAULT_REGION: fn.region,
    AWS_ENDPOINT_URL: fn.endpointUrl,
    AWS_EXECUTION_ENV: `AWS_Lambda_${fn.runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: fn.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: logGroupName(fn),
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: fn.codeDirectory,
    LANG: 'en_US.UTF-8',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TZ: ':UTC',
    // The home folder is still the developer's: keep the AWS clients away from its profiles, and from looking for a role.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  if (fn.clockFile !== undefined) environment['AUTOPILOT_CLOCK_FILE'] = fn.clockFile;
  // Windows cannot open a socket without it.
  if (process.env['SystemRoot'] !== undefined) environment['SystemRoot'] = process.env['SystemRoot'];
  return environment;
}
