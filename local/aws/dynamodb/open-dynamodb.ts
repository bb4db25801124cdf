/** The tables of a data folder, ready for requests: what the template declares is there, what a kill cut off is finished. */
import { join } from 'node:path';
import { fromStateLater } from '../../stage/start-problem.ts';
import { startDynamoDbEngine } from './dynamodb-engine.ts';
import type { DynamoDbEngine } from './dynamodb-engine.ts';
import { ensureTables, sweepExpired } from './tables.ts';
import type { Table } from './tables.ts';
import { openTransactions } from './transactions.ts';
import type { Transactions } from './transactions.ts';

/** Open tables. */
export interface OpenDynamoDb {
  readonly engine: DynamoDbEngine;
  readonly transactions: Transactions;
  /** Deletes items whose time to live has passed; their number. */
  sweepExpired(nowMs: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens them.
 * @param dataDir - holds the tables and the journal of transactions; created if it is missing
 * @throws Error for a kept table of another shape, and for a journal that cannot be finished; nothing stays open then
 */
export async function openDynamoDb(dataDir: string, tables: ReadonlyMap<string, Table>): Promise<OpenDynamoDb> {
  const directory = join(dataDir, 'dynamodb');
  const engine = await startDynamoDbEngine(directory);
  try {
    await fromStateLater(directory, async () => orUncaught(ensureTables(engine, tables.values())));
    const transactions = await openTransactions({ engine, dataDir });
    return {
      engine,
      transactions,
      sweepExpired: async (nowMs) => sweepExpired(engine, tables.values(), nowMs),
      async close() {
        await transactions.close();
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** dynalite throws outside of any promise if its store cannot be opened, and then never answers. */
async function orUncaught<Done>(work: Promise<Done>): Promise<Done> {
  const { promise, reject } = Promise.withResolvers<never>();
  process.once('uncaughtException', reject);
  try {
    return await Promise.race([work, promise]);
  } finally {
    process.off('uncaughtException', reject);
  }
}
