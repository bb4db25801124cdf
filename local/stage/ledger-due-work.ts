import { createDynamoDbClient } from '#shared/aws/clients/dynamodb-client.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import type { ownScheduleNames } from '#shared/config/names.ts';
import type { AccessKey } from '#shared/net/request-signature.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { listOpenOfKind, readOpenRuns } from '#shared/ledger/open-rows.ts';
import { startOf } from '#shared/ledger/rows/run-row.ts';
import type { DueWork } from '../schedules/fire-due.ts';
import { type ResolvedAssembly, resourcesOfType } from '../template/assembly.ts';

/** Who sends what is due, looks for it every minute. */
const watcher: (typeof ownScheduleNames)[number] = 'watch-campaigns';

/** What the stage's own ledger knows to fall due, read as an operator of the stage would. */
export interface LedgerDueWork extends DueWork {
  readonly close: () => void;
}

/** Opens the ledger of a stage whose front door answers. A template without a table has nothing to come. */
export function openLedgerDueWork(assembly: ResolvedAssembly, credentials: AccessKey): LedgerDueWork | undefined {
  const [table] = resourcesOfType(assembly, 'AWS::DynamoDB::Table');
  if (table === undefined) return undefined;
  const client = createDynamoDbClient({ endpoint: assembly.endpoint, region: assembly.region, credentials });
  const ledger = createDynamoDbLedger({ client, tableName: table.physicalId });
  return { watcher, instants: async () => dueInstants(ledger), close: () => client.destroy() };
}

/** When planned stops are due, runs without one are over, deferred starts may go out, and starts should have shown their sign. */
export async function dueInstants(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly Date[]> {
  const starts = (await readOpenRuns(ledger)).map((row) => startOf(row));
  const deferredStarts = await listOpenOfKind(ledger, 'DEFERRED', 'command');
  return [
    ...starts.flatMap((start) => [start?.plannedStop?.at ?? start?.until, start?.confirm?.until]),
    ...deferredStarts.map(({ deferred }) => deferred?.until),
  ]
    .filter((at) => at !== undefined)
    .map((at) => new Date(at));
}
