import { createCloudFormationClient, readStageOutputs, StageNotFoundError } from '#shared/aws/stage-outputs.ts';
import { createDynamoDbClient, createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { modeOf } from '#shared/vocabulary/stack-outputs.ts';

/** A stage and its account. */
export interface StagePlace {
  readonly stage: string;
  readonly profile: string | undefined;
  readonly region: string | undefined;
}

/** The runs that a deployed stage has started and not stopped. None if it observes already, or if there is no such stage. */
export async function readStartedRuns({ stage, ...account }: StagePlace): Promise<readonly string[]> {
  const settings = accountSettings(account);
  const [cloudFormation, dynamoDb] = [createCloudFormationClient(settings), createDynamoDbClient(settings)];
  try {
    const outputs = await readStageOutputs(cloudFormation, stage);
    if (modeOf(outputs) === 'observe') return [];
    const runs = await readRunsInFlight(createDynamoDbLedger({ client: dynamoDb, tableName: outputs.LedgerTableName }));
    return runs.map(({ entry }) => `${entry.run} (${entry.campaignRunId})`);
  } catch (error) {
    if (error instanceof StageNotFoundError) return [];
    throw error;
  } finally {
    cloudFormation.destroy();
    dynamoDb.destroy();
  }
}

/** The settings of a client for this account; what is not named is that of the environment. */
export function accountSettings({ profile, region }: Omit<StagePlace, 'stage'>) {
  return { ...(profile === undefined ? {} : { profile }), ...(region === undefined ? {} : { region }) };
}
