/** A function of the template as the run on one machine needs it: plain, resolved values. */
import { devNull } from 'node:os';

/** One AWS::Lambda::Function. */
export interface LocalFunction {
  readonly name: string;
  readonly arn: string;
  /** The folder that would be the deployed archive. */
  readonly codeDirectory: string;
  /** `file.export`: `handler.handler` is the export `handler` of handler.mjs or handler.js. */
  readonly handler: string;
  /** The declared variables, and nothing of the developer's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  /** `nodejs24.x` */
  readonly runtime: string;
  /** The access key that the front door knows as this function's role. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: string;
  /** The address of every AWS client's service in the function. */
  readonly endpointUrl: string;
  /** See local/clock; without it the function lives in real time. */
  readonly clockFile?: string | undefined;
  /**
   * AWS's words if its role may not write to its log group; nothing is kept of such a log there.
   * @default it may
   */
  readonly logRefusal?: (() => string | undefined) | undefined;
}

/** What an invocation answers, as Lambda's Invoke API does. */
export interface InvokeResult {
  readonly requestId: string;
  /** JSON: the handler's answer, or `{ errorType, errorMessage, … }`. */
  readonly payload: string;
  /** Present when the payload is an error. Lambda says Unhandled for all of them today. */
  readonly functionError?: 'Unhandled' | undefined;
  /** The last 4 KB of the invocation's log in base64, where asked for. */
  readonly logResult?: string | undefined;
}

/**
 * One line that a function wrote, or that the platform wrote about it (START, END, REPORT, why it
 * was ended).
 */
export interface FunctionLogLine {
  readonly functionName: string;
  readonly requestId: string;
  readonly stream: 'stdout' | 'stderr' | 'platform';
  readonly text: string;
}

// The environment that a function's process starts with: Lambda's own variables and the declared
// ones, nothing else.

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
    // The home folder is still the developer's: keep the AWS clients away from its profiles, and
    // from looking for a role.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  if (fn.clockFile !== undefined) environment['AUTOPILOT_CLOCK_FILE'] = fn.clockFile;
  // Windows cannot open a socket without it.
  if (process.env['SystemRoot'] !== undefined) environment['SystemRoot'] = process.env['SystemRoot'];
  return environment;
}
