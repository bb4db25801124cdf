import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';

/** How one invocation ended. */
export interface InvocationAnswer {
  /** What the function returned, or its error document. */
  readonly payload: string;
  /** Set when the function failed: `Handled` or `Unhandled`. */
  readonly functionError?: string;
}

/** Invokes a function and waits for its end. */
export async function invokeFunction(
  client: LambdaClient,
  functionArn: string,
  input: string,
): Promise<InvocationAnswer> {
  const answer = await client.send(new InvokeCommand({ FunctionName: functionArn, Payload: Buffer.from(input) }));
  return {
    payload: answer.Payload?.transformToString() ?? '',
    ...(answer.FunctionError === undefined ? {} : { functionError: answer.FunctionError }),
  };
}
