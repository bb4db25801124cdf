import { GetEventSourceMappingCommand, type LambdaClient, ResourceNotFoundException } from '@aws-sdk/client-lambda';

/** What feeds a function from a queue, as Lambda answers it. */
export interface DeployedMapping {
  /** `Enabled`, `Disabled`, or on its way: `Enabling`, `Updating`, … */
  readonly state: string;
  /** What Lambda says of its last batch: `OK`, or `PROBLEM: …`. */
  readonly lastResult?: string;
}

/** Looks at one mapping by its UUID; `undefined` where there is none. */
export async function findMapping(client: LambdaClient, uuid: string): Promise<DeployedMapping | undefined> {
  try {
    const { State = '', LastProcessingResult } = await client.send(new GetEventSourceMappingCommand({ UUID: uuid }));
    return { state: State, ...(LastProcessingResult === undefined ? {} : { lastResult: LastProcessingResult }) };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
