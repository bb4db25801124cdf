import { createDynamoDbClient, createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { modeOf } from '#shared/vocabulary/stack-outputs.ts';
import { type StagePlace, withDeployedStage } from './deployed-stage.ts';

/** The runs that a deployed stage has started and not stopped. None if it observes already, or if there is no such stage. */
export async function readStartedRuns(place: StagePlace): Promise<readonly string[]> {
  const runs = await withDeployedStage(place, createDynamoDbClient, async (client, outputs) => {
    if (modeOf(outputs) === 'observe') return [];
    return readRunsInFlight(createDynamoDbLedger({ client, tableName: outputs.LedgerTableName }));
  });
  return (runs ?? []).map(({ entry }) => `${entry.run} (${entry.campaignRunId})`);
}
