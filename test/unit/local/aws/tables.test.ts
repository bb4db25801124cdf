import { expect, test } from 'vitest';
import { ensureTables, type LocalTable } from '#local/aws/dynamodb/tables.ts';
import { StartProblem } from '#local/state/start-problem.ts';
import type { JsonObject } from '#local/template/assembly.ts';

const definition: JsonObject = { TableName: 'Ledger', KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] };
const ledger: LocalTable = { name: 'Ledger', arn: '', ttlAttribute: undefined, keyAttributes: ['pk'], definition };

/** An engine with these tables. Each look at a table finds its next status, and then the last one. */
function engineOf(tableNames: readonly string[], statuses: string[]) {
  const asked: string[] = [];
  return {
    asked,
    call: async (operation: string): Promise<JsonObject> => {
      asked.push(operation);
      if (operation === 'ListTables') return { TableNames: [...tableNames] };
      const TableStatus = (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? '';
      return { Table: { ...definition, TableStatus } };
    },
  };
}

// Two of thirteen runs met a new table that was still being created, and that refused every request.
test('a new table takes requests before the stage has any', async () => {
  const engine = engineOf([], ['CREATING', 'CREATING', 'ACTIVE']);

  await ensureTables(engine, [ledger]);

  expect(engine.asked).toEqual(['ListTables', 'CreateTable', 'DescribeTable', 'DescribeTable']);
});

test('a kept table that takes requests is taken as it is', async () => {
  const engine = engineOf(['Ledger'], ['ACTIVE']);

  await ensureTables(engine, [ledger]);

  expect(engine.asked).toEqual(['ListTables', 'DescribeTable']);
});

test('a table that a killed start left half made is refused, with what to do', async () => {
  const started = ensureTables(engineOf(['Ledger'], ['CREATING']), [ledger]);

  await expect(started).rejects.toBeInstanceOf(StartProblem);
  await expect(started).rejects.toThrow('table Ledger was ready: start again with --fresh');
});
