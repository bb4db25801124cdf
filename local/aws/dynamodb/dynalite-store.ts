/**
 * dynalite inside this process, without its server: its checks and its actions, over one LevelDB.
 * What one piece of work writes is collected first, and stored in one batch: all of it or nothing.
 */
import { mkdirSync } from 'node:fs';
import batchGetItem from 'dynalite/actions/batchGetItem.js';
import batchWriteItem from 'dynalite/actions/batchWriteItem.js';
import createTable from 'dynalite/actions/createTable.js';
import deleteItem from 'dynalite/actions/deleteItem.js';
import describeTable from 'dynalite/actions/describeTable.js';
import getItem from 'dynalite/actions/getItem.js';
import listTables from 'dynalite/actions/listTables.js';
import putItem from 'dynalite/actions/putItem.js';
import query from 'dynalite/actions/query.js';
import scan from 'dynalite/actions/scan.js';
import updateItem from 'dynalite/actions/updateItem.js';
import dynaliteDb from 'dynalite/db/index.js';
import batchGetItemRules from 'dynalite/validations/batchGetItem.js';
import batchWriteItemRules from 'dynalite/validations/batchWriteItem.js';
import createTableRules from 'dynalite/validations/createTable.js';
import deleteItemRules from 'dynalite/validations/deleteItem.js';
import describeTableRules from 'dynalite/validations/describeTable.js';
import getItemRules from 'dynalite/validations/getItem.js';
import validations from 'dynalite/validations/index.js';
import listTablesRules from 'dynalite/validations/listTables.js';
import putItemRules from 'dynalite/validations/putItem.js';
import queryRules from 'dynalite/validations/query.js';
import scanRules from 'dynalite/validations/scan.js';
import updateItemRules from 'dynalite/validations/updateItem.js';
import { diskProblem } from '#shared/state-folder/disk-problem.ts';
import { StoreFailed } from '../../state/start-problem.ts';
import { asObject, asText, isJsonObject, type Json, type JsonObject } from '../../template/json.ts';
import { AwsError } from '../aws-error.ts';

/** LevelDB as dynalite uses it. */
interface LevelDb {
  open(): Promise<void>;
  close(): Promise<void>;
  put(key: string, value: Json, done: Done): void;
  del(key: string, done: Done): void;
  batch(changes: readonly Change[]): Promise<void>;
}

type Done = (error: Error | null) => void;

/** One change of one key. */
export type Change =
  | { readonly type: 'put'; readonly key: string; readonly value: Json }
  | { readonly type: 'del'; readonly key: string };

/**
 * What each operation does, and what it takes. The imports are written out: a bundle has no others.
 */
const operations = new Map(
  Object.entries({
    BatchGetItem: [batchGetItem, batchGetItemRules],
    BatchWriteItem: [batchWriteItem, batchWriteItemRules],
    CreateTable: [createTable, createTableRules],
    DeleteItem: [deleteItem, deleteItemRules],
    DescribeTable: [describeTable, describeTableRules],
    GetItem: [getItem, getItemRules],
    ListTables: [listTables, listTablesRules],
    PutItem: [putItem, putItemRules],
    Query: [query, queryRules],
    Scan: [scan, scanRules],
    UpdateItem: [updateItem, updateItemRules],
  } as const),
);

/**
 * Opens one dynalite, which lasts until its end or its first failure.
 * @param directory - the folder of the tables. @default in memory
 * @throws StoreFailed if LevelDB cannot be opened
 */
export async function openDynaliteStore(directory: string | undefined) {
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const dynalite = dynaliteDb.create({ path: directory, createTableMs: 0 });
  const { db } = dynalite;
  let failure: StoreFailed | undefined;
  const failed = (cause: unknown): StoreFailed =>
    (failure ??= new StoreFailed(storeProblem(directory, cause), { cause }));
  const orFailed = async <T>(work: Promise<T>): Promise<T> => {
    if (failure !== undefined) throw failure;
    return work.catch((error: unknown) => {
      throw failed(error);
    });
  };
  await orFailed(db.open());
  const collectFrom = collectorOf(db);

  return {
    /**
     * Does one operation.
     * @throws AwsError for what DynamoDB refuses, StoreFailed for what the disk does
     */
    async perform(operation: string, input: JsonObject): Promise<JsonObject> {
      if (failure !== undefined) throw failure;
      const known = operations.get(operation);
      if (known === undefined) throw new Error(`dynalite has no ${operation}`);
      const [action, rules] = known;
      try {
        // The check deletes what it does not know, so it gets a copy.
        const checked = validations.checkTypes(structuredClone(input), rules.types);
        validations.checkValidations(checked, rules.types, rules.custom, dynalite);
        return await new Promise<JsonObject>((resolve, reject) => {
          action(dynalite, checked, (error, answer = {}) => {
            if (error === null || error === undefined) resolve(answer);
            else reject(error);
          });
        });
      } catch (error) {
        throw refusalOf(error) ?? failed(error);
      }
    },
    /**
     * Collects what the work writes, in place of storing it. At most one such work at a time; work
     * inside of it collects for itself.
     */
    collect: collectFrom,
    /** Stores changes in one batch. */
    store: async (changes: readonly Change[]) => orFailed(changes.length === 0 ? Promise.resolve() : db.batch(changes)),
    /** The disk has refused something: LevelDB would write behind a record that is cut off. */
    hasFailed: () => failure !== undefined,
    close: async () => db.close(),
  };
}

/** Bytes of an item as DynamoDB counts them. */
export function itemBytes(item: JsonObject): number {
  return dynaliteDb.itemSize(item);
}

/** Every write of dynalite's is a `put` or a `del` of its LevelDB: while work collects, none is stored. */
function collectorOf(db: LevelDb) {
  let changes: Change[] | undefined;
  const [put, del] = [db.put.bind(db), db.del.bind(db)];
  db.put = (key, value, done) => {
    if (changes === undefined) return put(key, value, done);
    changes.push({ type: 'put', key, value: withoutDelay(value) });
    setImmediate(done, null);
  };
  db.del = (key, done) => {
    if (changes === undefined) return del(key, done);
    changes.push({ type: 'del', key });
    setImmediate(done, null);
  };
  return async <T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly changes: Change[] }> => {
    const outer = changes;
    const collected: Change[] = [];
    changes = collected;
    try {
      return { result: await work(), changes: collected };
    } finally {
      changes = outer;
    }
  };
}

/**
 * dynalite stores a new table as CREATING, and a timer makes it ACTIVE. A kill between would leave
 * a table that takes no request, so the first of these is stored as the second.
 */
function withoutDelay(value: Json): Json {
  if (!isJsonObject(value) || value['TableStatus'] !== 'CREATING') return value;
  const active = { ...value, TableStatus: 'ACTIVE' };
  const indexes = value['GlobalSecondaryIndexes'];
  if (!Array.isArray(indexes)) return active;
  return {
    ...active,
    GlobalSecondaryIndexes: indexes.map((index) => ({ ...asObject(index), IndexStatus: 'ACTIVE' })),
  };
}

/** What DynamoDB refuses, as dynalite words it. */
function refusalOf(error: unknown): AwsError | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || !('body' in error)) return undefined;
  const body: unknown = error.body;
  const { __type, message, Message } = isJsonObject(body) ? body : {};
  const code = asText(__type)?.split('#').at(-1) ?? 'InternalServerError';
  return new AwsError(code, asText(message ?? Message) ?? code, Number(error.statusCode));
}

function storeProblem(directory: string | undefined, error: unknown): string {
  const problem = directory === undefined ? undefined : diskProblem(directory, error);
  return problem ?? `the tables cannot be used (${error instanceof Error ? error.message : String(error)})`;
}
