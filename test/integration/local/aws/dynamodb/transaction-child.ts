import type { EngineCalls } from '#local/aws/dynamodb/dynamodb-engine.ts';
import { openDynamoDb, readTables } from '#local/aws/dynamodb/tables.ts';
import { openTransactions } from '#local/aws/dynamodb/transactions.ts';
import { assemblyOf } from '../../../../builders/write-assembly.ts';
import { localTemplate } from '../local-template.ts';

const [dataDir = '', step = ''] = process.argv.slice(2);
const assembly = assemblyOf({ App: localTemplate() }, { endpoint: 'http://127.0.0.1:9' });
const { engine } = await openDynamoDb(dataDir, readTables(assembly));

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function mortal(calls: EngineCalls): EngineCalls {
  let writes = 0;
  return {
    async forward(operation, body) {
      if (step === 'look' && operation === 'GetItem') die();
      return calls.forward(operation, body);
    },
    async call(operation, input) {
      if (step === `write-${writes}`) die();
      writes += 1;
      const answer = await calls.call(operation, input);
      if (step === `write-${writes}` && writes === 2) die();
      return answer;
    },
  };
}

const transactions = await openTransactions({
  engine: { ...engine, exclusively: (work) => engine.exclusively((calls) => work(mortal(calls))) },
  dataDir,
});
const put = (pk: string) => ({ Put: { TableName: 'App-Ledger', Item: { pk: { S: pk }, by: { S: step } } } });
await transactions.write({ TransactItems: [put('one'), put('two')] });
process.stdout.write('not killed\n');
process.exit(1);
