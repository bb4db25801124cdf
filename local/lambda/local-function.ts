/** A function of the template as the run on one machine needs it: plain, resolved values. */

/** One AWS::Lambda::Function. */
export interface LocalFunction {
  readonly name: string;
  readonly logicalId: string;
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
  /** Where every AWS client of the function finds its service. */
  readonly endpointUrl: string;
  /** See local/clock; without it the function lives in real time. */
  readonly clockFile?: string | undefined;
  /** AWS's words where its role may not write to its log group; nothing is kept of such a log there. @default it may */
  readonly logRefusal?: (() => string | undefined) | undefined;
  /** Of asynchronous invocations; AWS::Lambda::EventInvokeConfig. @default 2, as AWS */
  readonly maximumRetryAttempts?: number | undefined;
  /** Of asynchronous invocations; AWS::Lambda::EventInvokeConfig. @default six hours, as AWS */
  readonly maximumEventAgeMs?: number | undefined;
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

/** One line that a function wrote, or that the platform wrote about it (START, END, REPORT, why it was ended). */
export interface FunctionLogLine {
  readonly functionName: string;
  readonly requestId: string;
  readonly stream: 'stdout' | 'stderr' | 'platform';
  readonly text: string;
}
