import type { DynamoDbEngine } from '#local/aws/dynamodb/dynamodb-engine.ts';
import { openDynamoDb } from '#local/aws/dynamodb/tables.ts';
import { readTables } from '#local/aws/dynamodb/declared-tables.ts';
import { createTransactions } from '#local/aws/dynamodb/transactions.ts';
import { assemblyOf } from '../../../../builders/write-assembly.ts';
import { localTemplate } from '../local-template.ts';

const [dataDir = '', step = ''] = process.argv.slice(2);
const assembly = assemblyOf({ App: localTemplate() }, { endpoint: 'http://127.0.0.1:9' });
const { engine } = await openDynamoDb(dataDir, readTables(assembly));

function dieAt(reached: string): void {
  if (step === reached) process.kill(process.pid, 'SIGKILL');
}

let writes = 0;
const mortal: DynamoDbEngine = {
  ...engine,
  async atomically(work) {
    dieAt('begin');
    const result = await engine.atomically(async ({ call, tryOut }) => {
      const mortalCall: typeof call = async (operation, input) => {
        const answer = await call(operation, input);
        if (operation === 'PutItem') dieAt(`write-${(writes += 1)}`);
        return answer;
      };
      return work({ call: mortalCall, tryOut });
    });
    dieAt('stored');
    return result;
  },
};
const put = (pk: string) => ({ Put: { TableName: 'App-Ledger', Item: { pk: { S: pk }, by: { S: step } } } });
await createTransactions({ engine: mortal })({ TransactItems: [put('one'), put('two')] });
process.stdout.write('not killed\n');
process.exit(1);
