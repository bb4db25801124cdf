import type { ClientSettings } from '#shared/aws/client-settings.ts';
import { createCloudFormationClient, readStageOutputs, StageNotFoundError } from '#shared/aws/stage-outputs.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';

/** A stage and its account; what is not named is that of the environment. */
export interface StagePlace {
  readonly stage: string;
  readonly profile: string | undefined;
  readonly region: string | undefined;
}

/** Reads of a stage as it is deployed. @returns `undefined` if there is no such stage */
export async function withDeployedStage<Client extends { destroy: () => void }, Result>(
  { stage, profile, region }: StagePlace,
  createClient: (settings: ClientSettings) => Client,
  read: (client: Client, outputs: StageOutputs) => Promise<Result>,
): Promise<Result | undefined> {
  const settings = { ...(profile === undefined ? {} : { profile }), ...(region === undefined ? {} : { region }) };
  const [cloudFormation, client] = [createCloudFormationClient(settings), createClient(settings)];
  try {
    return await read(client, await readStageOutputs(cloudFormation, stage));
  } catch (error) {
    if (error instanceof StageNotFoundError) return undefined;
    throw error;
  } finally {
    cloudFormation.destroy();
    client.destroy();
  }
}
