import { createDynamoDbClient } from '../../shared/aws/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import type { ownScheduleNames } from '../../shared/config/names.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import { listOpenOfKind } from '../../shared/ledger/open-rows.ts';
import type { DueWork } from '../schedules/fire-due.ts';
import { type ResolvedAssembly, resourcesOfType } from '../template/assembly.ts';

/** Who sends what is due, looks for it every minute. */
const watcher: (typeof ownScheduleNames)[number] = 'watch-campaigns';

/** What the stage's own ledger knows to fall due, read as an operator of the stage would. */
export interface LedgerDueWork extends DueWork {
  readonly close: () => void;
}

/** Opens the ledger of a stage whose front door answers. A template without a table has nothing to come. */
export function openLedgerDueWork(assembly: ResolvedAssembly): LedgerDueWork | undefined {
  const [table] = resourcesOfType(assembly, 'AWS::DynamoDB::Table');
  if (table === undefined) return undefined;
  // A key that the authority did not hand out: the developer's own.
  const credentials = { accessKeyId: 'developer', secretAccessKey: 'developer' };
  const client = createDynamoDbClient({ endpoint: assembly.endpoint, region: assembly.region, credentials });
  const ledger = createDynamoDbLedger({ client, tableName: table.physicalId });
  return { watcher, instants: async () => dueInstants(ledger), close: () => client.destroy() };
}

/** When planned stops are due, starts that were put off may go out, and starts should have shown their sign. */
export async function dueInstants(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly Date[]> {
  const runs = await listOpenOfKind(ledger, 'RUN_IN_FLIGHT', 'run');
  const putOff = await listOpenOfKind(ledger, 'DEFERRED', 'command');
  return [
    ...runs.flatMap(({ stopDue, confirm }) => [stopDue?.at, confirm?.until]),
    ...putOff.map(({ deferred }) => deferred?.until),
  ]
    .filter((at) => at !== undefined)
    .map((at) => new Date(at));
}
