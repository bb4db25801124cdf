/**
 * The engine of the tables: one write, or one transaction, is one batch of LevelDB. Writers follow
 * each other; readers never wait, as on AWS.
 */
import { asList, asObject, type Json, type JsonObject } from '../../template/json.ts';
import { type Change, openDynaliteStore } from './dynalite-store.ts';

/** Makes a request; what DynamoDB refuses is thrown as an AwsError. */
export type DynamoDbCall = (operation: string, input: JsonObject) => Promise<JsonObject>;

/** What work on several rows may do; it reads the rows as they were before it. */
export interface Atomic {
  readonly call: DynamoDbCall;
  /** The same, and nothing of it is written. */
  readonly tryOut: DynamoDbCall;
}

export interface DynamoDbEngine {
  readonly call: DynamoDbCall;
  /** Stores all that the work writes in one batch, and nothing if it throws. No other writer comes between. */
  atomically<T>(work: (atomic: Atomic) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** For fault runs: reads as late as AWS allows. */
export interface LateReads {
  /** A change shows in the global indexes after so many milliseconds. */
  readonly indexLagMs: number;
  /** Awaited between two rows of a batch read: whole transactions may come between. */
  readonly betweenRows: () => Promise<void>;
}

/** How the keys of rows of global indexes begin in dynalite. */
const indexKeys = 'index-global~';

const readers = new Set(['BatchGetItem', 'DescribeTable', 'GetItem', 'ListTables', 'Query', 'Scan']);

/**
 * Starts the engine. Once its store has failed, as on a full disk, no request reaches it. LevelDB
 * would write behind a record that is cut off, and lose that at its next opening. The next request
 * opens it again.
 * @param directory - the folder of the tables. @default in memory
 */
export async function startDynamoDbEngine(directory?: string, late?: LateReads): Promise<DynamoDbEngine> {
  let store = await openDynaliteStore(directory);
  let reopening: Promise<void> | undefined;
  async function reopen(): Promise<void> {
    await store.close();
    store = await openDynaliteStore(directory);
  }
  async function whole(): Promise<void> {
    if (!store.hasFailed()) return;
    reopening ??= reopen().finally(() => (reopening = undefined));
    await reopening;
  }

  let lastWriter: Promise<unknown> = Promise.resolve();
  async function afterOtherWriters<T>(work: () => Promise<T>): Promise<T> {
    const running = lastWriter.then(work);
    lastWriter = running.catch(() => undefined);
    return running;
  }
  // Those of indexes come later, as on AWS, if a fault run asks for it.
  const timers = new Map<NodeJS.Timeout, readonly Change[]>();
  const lagMs = late?.indexLagMs ?? 0;
  async function storeChanges(changes: readonly Change[]): Promise<void> {
    const ofIndexes = changes.filter(({ key }) => lagMs > 0 && key.startsWith(indexKeys));
    await store.store(changes.filter((change) => !ofIndexes.includes(change)));
    if (ofIndexes.length === 0) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void afterOtherWriters(async () => whole().then(async () => store.store(ofIndexes))).catch(() => undefined);
    }, lagMs);
    timers.set(timer, ofIndexes);
  }

  const atomically: DynamoDbEngine['atomically'] = async (work) =>
    afterOtherWriters(async () => {
      await whole();
      const call: DynamoDbCall = async (operation, input) => store.perform(operation, input);
      const tryOut: DynamoDbCall = async (operation, input) =>
        (await store.collect(async () => store.perform(operation, input))).result;
      const { result, changes } = await store.collect(async () => work({ call, tryOut }));
      await storeChanges(changes);
      return result;
    });
  const call: DynamoDbCall = async (operation, input) => {
    if (!readers.has(operation)) return atomically(async (atomic) => atomic.call(operation, input));
    await whole();
    return store.perform(operation, input);
  };

  return {
    call: async (operation, input) =>
      late !== undefined && operation === 'BatchGetItem' ? readApart(input, call, late) : call(operation, input),
    atomically,
    async close() {
      await lastWriter;
      for (const timer of timers.keys()) clearTimeout(timer);
      if (!store.hasFailed()) await store.store([...timers.values()].flat());
      await store.close();
    },
  };
}

/** AWS reads each row of a batch by itself ("read-committed"). */
async function readApart(input: JsonObject, call: DynamoDbCall, { betweenRows }: LateReads): Promise<JsonObject> {
  const Responses: Record<string, Json[]> = {};
  for (const [table, request] of Object.entries(asObject(input['RequestItems']))) {
    const rows: Json[] = (Responses[table] = []);
    for (const key of asList(asObject(request)['Keys'])) {
      const RequestItems = { [table]: { ...asObject(request), Keys: [key] } };
      const answer = await call('BatchGetItem', { ...input, RequestItems });
      rows.push(...asList(asObject(answer['Responses'])[table]));
      await betweenRows();
    }
  }
  return { Responses, UnprocessedKeys: {} };
}
