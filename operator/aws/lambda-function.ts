import {
  GetEventSourceMappingCommand,
  InvokeCommand,
  LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import type { ClientSettings } from '#shared/aws/client-settings.ts';

/** Lambda; what the settings leave out comes from the environment. */
export function createLambdaClient(settings: ClientSettings = {}): LambdaClient {
  return new LambdaClient(settings);
}

/** How one invocation ended. */
export interface InvocationAnswer {
  /** What the function returned, or its error document. */
  readonly payload: string;
  /** Set when the function failed: `Handled` or `Unhandled`. */
  readonly functionError?: string;
  /** The last 4 KB of its log. */
  readonly logTail?: string;
}

/**
 * Invokes a function and waits for its end.
 * @param functionName - or its ARN
 */
export async function invokeFunction(
  client: LambdaClient,
  functionName: string,
  input: string,
): Promise<InvocationAnswer> {
  const command = new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(input), LogType: 'Tail' });
  const answer = await client.send(command);
  return {
    payload: answer.Payload?.transformToString() ?? '',
    functionError: answer.FunctionError,
    logTail: answer.LogResult && Buffer.from(answer.LogResult, 'base64').toString(),
  };
}

/** What feeds a function from a queue, as Lambda answers it. */
export interface DeployedMapping {
  /** `Enabled`, `Disabled`, or on its way: `Enabling`, `Updating`, … */
  readonly state: string;
  /** What Lambda says of its last batch: `OK`, or `PROBLEM: …`. */
  readonly lastResult?: string;
}

/** Looks at one mapping by its UUID; `undefined` if it does not exist. */
export async function findMapping(client: LambdaClient, uuid: string): Promise<DeployedMapping | undefined> {
  try {
    const { State = '', LastProcessingResult } = await client.send(new GetEventSourceMappingCommand({ UUID: uuid }));
    return { state: State, lastResult: LastProcessingResult };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
