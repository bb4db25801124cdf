/**
 * `TransactWriteItems`, which dynalite does not have: all writes or none, for readers and for a
 * kill.
 *
 * A transaction has the tables to itself. Every condition is judged before the first write, so a
 * refused transaction writes nothing. The writes stand in a journal before the first of them, so a
 * kill between two is finished at the next start.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asList, asObject, asText, type JsonObject, parseJsonObject } from '../../template/assembly.ts';
import { StoreFailed } from '../../state/start-problem.ts';
import { type AwsResponse, jsonResponse } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { type DynamoDbEngine, type EngineCalls, startDynamoDbEngine } from './dynamodb-engine.ts';
import {
  createRehearsal,
  validationError,
  type PlainWrite,
  readClientToken,
  readTransactItems,
  type Rehearsed,
  type TransactItem,
} from './rehearsal.ts';

/** What transactions need. */
export interface TransactionOptions {
  readonly engine: Pick<DynamoDbEngine, 'exclusively' | 'onReopened' | 'refuseAll'>;
  /** The folder of the journal. */
  readonly dataDir: string;
  /**
   * Real time, since clients time their repeats by it. A moved clock does not change it. @default
   * performance.now
   */
  readonly elapsedMs?: () => number;
}

/** Transactions over the tables of one engine. */
export interface Transactions {
  /** Answers a request; refusals other than a cancellation are thrown. */
  write(input: JsonObject): Promise<AwsResponse>;
  close(): Promise<void>;
}

/** DynamoDB remembers a client token for this long. */
const TOKEN_LIFE_MS = 10 * 60_000;

const ERROR_PREFIX = 'com.amazonaws.dynamodb.v20120810#';

/** Finishes the transaction that a kill cut off, if there is one, and takes new ones. */
export async function openTransactions(options: TransactionOptions): Promise<Transactions> {
  const { engine, dataDir, elapsedMs = () => performance.now() } = options;
  const journal = openTransactionJournal(dataDir);
  const stage = await startDynamoDbEngine();
  const rehearsal = createRehearsal(stage);
  const tokens = createTokenMemory(elapsedMs);

  async function finish(writes: readonly PlainWrite[], tables: EngineCalls): Promise<void> {
    if (writes.length === 0) return;
    try {
      for (const { operation, input } of writes) await tables.call(operation, input);
      journal.end();
    } catch (error) {
      // It is finished as soon as the store can be written again.
      if (error instanceof StoreFailed) throw error;
      const reason = new Error('a transaction was cut off half way: start again to finish it', { cause: error });
      engine.refuseAll(reason);
      throw reason;
    }
  }

  try {
    await engine.exclusively(async (tables) => finish(journal.unfinished(), tables));
    engine.onReopened(async (tables) => finish(journal.unfinished(), tables));
  } catch (error) {
    await stage.close();
    throw error;
  }

  async function apply(items: readonly TransactItem[], tables: EngineCalls): Promise<readonly Rehearsed[]> {
    const rows = await Promise.all(items.map(async (item) => rehearsal.rowOf(item, tables)));
    if (new Set(rows).size < rows.length)
      throw validationError('Transaction request cannot include multiple operations on one item');
    const rehearsed = await allOf(items.map(async (item) => rehearsal.try(item, tables)));
    if (!rehearsed.every(({ passed }) => passed)) return rehearsed;
    const writes = rehearsed.flatMap((item) => (item.passed && item.write !== undefined ? [item.write] : []));
    if (writes.length > 0) journal.begin(writes);
    await finish(writes, tables);
    return rehearsed;
  }

  return {
    async write(input) {
      const items = readTransactItems(input);
      const token = readClientToken(input);
      const digest = createHash('sha256').update(JSON.stringify(input['TransactItems'])).digest('base64');
      return engine.exclusively(async (tables) => {
        const earlier = token === undefined ? undefined : tokens.get(token);
        if (earlier !== undefined && earlier !== digest) throw mismatch();
        if (earlier !== undefined) return jsonResponse({}, { protocol: 'json-1.0' });
        const rehearsed = await apply(items, tables);
        if (!rehearsed.every(({ passed }) => passed)) return cancelled(items, rehearsed);
        if (token !== undefined) tokens.set(token, digest);
        return jsonResponse({}, { protocol: 'json-1.0' });
      });
    },
    close: async () => stage.close(),
  };
}

/**
 * Like `Promise.all`, but waits for all work before it throws, because the tables are released
 * afterwards.
 */
async function allOf<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Request digests by client token, kept for as long as a repeat may come. */
function createTokenMemory(elapsedMs: () => number) {
  const known = new Map<string, { readonly digest: string; readonly at: number }>();
  return {
    get(token: string): string | undefined {
      const entry = known.get(token);
      return entry === undefined || elapsedMs() - entry.at >= TOKEN_LIFE_MS ? undefined : entry.digest;
    },
    set(token: string, digest: string): void {
      const at = elapsedMs();
      for (const [old, entry] of known) if (at - entry.at >= TOKEN_LIFE_MS) known.delete(old);
      known.set(token, { digest, at });
    },
  };
}

function mismatch(): AwsError {
  return new AwsError(
    'IdempotentParameterMismatchException',
    'The request uses the same client token as a previous, but non-identical request.',
  );
}

/** The answer of a transaction of which nothing was written: a reason for each item, in order. */
function cancelled(items: readonly TransactItem[], rehearsed: readonly Rehearsed[]): AwsResponse {
  const CancellationReasons = rehearsed.map((item, index) => {
    if (item.passed) return { Code: 'None' };
    const Item = items[index]?.showsOld === true ? item.current : undefined;
    return { Code: 'ConditionalCheckFailed', Message: item.message, Item };
  });
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const body = {
    __type: `${ERROR_PREFIX}TransactionCanceledException`,
    CancellationReasons,
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
  };
  return jsonResponse(body, { status: 400, protocol: 'json-1.0' });
}

// The writes of the transaction under way, in one file beside the tables.
// It is on the disk before the first of the writes and gone after the last one. A journal found at
// start was left by a kill. All its writes are repeated before the first answer.

/** The journal of one data folder. */
interface TransactionJournal {
  /** Stores the writes; they are on the disk when it returns. */
  begin(writes: readonly PlainWrite[]): void;
  /** Says that all of them were done. */
  end(): void;
  /** The writes that a kill cut off, or none. */
  unfinished(): readonly PlainWrite[];
}

/** Opens the journal kept in `dataDir`. */
function openTransactionJournal(dataDir: string): TransactionJournal {
  const path = join(dataDir, 'dynamodb-transaction.json');
  return {
    begin(writes) {
      // Moved into place whole: a kill while it is written leaves no journal, and no write was
      // made.
      const draft = `${path}.new`;
      const file = openSync(draft, 'w', 0o600);
      try {
        writeFileSync(file, JSON.stringify({ writes }));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
      syncFolder(dirname(path));
    },
    end: () => rmSync(path),
    unfinished() {
      if (!existsSync(path)) return [];
      const { writes } = parseJsonObject(readFileSync(path, 'utf8'), path);
      return asList(writes).map((value) => {
        const { operation, input } = asObject(value);
        const name = asText(operation);
        if (name !== 'PutItem' && name !== 'DeleteItem') throw new Error(`${path} holds an unknown write ${name}`);
        return { operation: name, input: asObject(input) };
      });
    },
  };
}

/**
 * A new name is durable once its folder is. Windows cannot open folders, and needs no such step.
 */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
