/**
 * `TransactWriteItems`, which dynalite does not have. Each item is done by the single operation that
 * does the same. All that they write is one batch, so a reader and a kill find all of it or none.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { asList, asObject, asText, isJsonObject, type Json, type JsonObject } from '../../template/json.ts';
import { AwsError } from '../aws-error.ts';
import { readInput } from '../wire/operations.ts';
import { itemBytes } from './dynalite-store.ts';
import type { Atomic, DynamoDbEngine } from './dynamodb-engine.ts';

/** What transactions need. */
interface TransactionOptions {
  readonly engine: Pick<DynamoDbEngine, 'atomically'>;
  /**
   * Real time, since clients time their repeats by it. A moved clock does not change it. @default
   * performance.now
   */
  readonly elapsedMs?: () => number;
}

/** DynamoDB remembers a client token for this long. */
const TOKEN_LIFE_MS = 10 * 60_000;

/**
 * Creates transactions over the tables of one engine.
 * @returns applies a request; throws what refuses it, with a reason for each item if a condition
 *   does
 */
export function createTransactions({ engine, elapsedMs = () => performance.now() }: TransactionOptions) {
  const known = new Map<string, { readonly digest: string; readonly at: number }>();

  return async (input: JsonObject): Promise<void> => {
    const { TransactItems: items, ClientRequestToken: token } = readTransaction(input);
    refuseLarge(items);
    const digest = createHash('sha256').update(JSON.stringify(input['TransactItems'])).digest('base64');
    await engine.atomically(async (atomic) => {
      for (const [old, { at }] of known) if (elapsedMs() - at >= TOKEN_LIFE_MS) known.delete(old);
      const earlier = known.get(token ?? '');
      if (earlier === undefined) return apply(items, atomic);
      if (earlier.digest !== digest)
        throw new AwsError(
          'IdempotentParameterMismatchException',
          'The request uses the same client token as a previous, but non-identical request.',
        );
      return undefined;
    });
    // Only what is stored: a repeat of what the disk did not take has to write.
    if (token !== undefined && !known.has(token)) known.set(token, { digest, at: elapsedMs() });
  };
}

/** The items of one transaction together. */
const mostBytes = 4 * 1024 * 1024;

/** Counts what the request writes; what an update leaves as it is does not count here. */
function refuseLarge(items: readonly TransactItem[]): void {
  const bytes = items.reduce(
    (sum, { input }) => sum + itemBytes(asObject(input['Item'] ?? input['ExpressionAttributeValues'])),
    0,
  );
  if (bytes > mostBytes) throw validationError('The aggregate size of the items in the transaction cannot exceed 4 MB');
}

/** Every row is judged as it was before the transaction. */
async function apply(items: readonly TransactItem[], atomic: Atomic): Promise<void> {
  const keys = await keysOf(items, atomic);
  const rows = items.map(({ tableName }, index) => JSON.stringify([tableName, keys[index]]));
  if (new Set(rows).size < rows.length)
    throw validationError('Transaction request cannot include multiple operations on one item');
  const reasons: JsonObject[] = [];
  for (const [index, item] of items.entries()) reasons.push(await failedCondition(item, keys[index] ?? {}, atomic));
  if (reasons.every(({ Code }) => Code === 'None')) return;
  const codes = reasons.map(({ Code }) => asText(Code)).join(', ');
  throw new AwsError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    400,
    { CancellationReasons: reasons },
  );
}

async function keysOf(items: readonly TransactItem[], { call }: Atomic): Promise<JsonObject[]> {
  const names = new Map<string, readonly string[]>();
  for (const { tableName: TableName } of items) {
    if (names.has(TableName)) continue;
    const { KeySchema } = asObject((await call('DescribeTable', { TableName }))['Table']);
    names.set(
      TableName,
      asList(KeySchema).flatMap((key) => asText(asObject(key)['AttributeName']) ?? []),
    );
  }
  return items.map(({ tableName, input }) => {
    const holder = asObject(input['Item'] ?? input['Key']);
    const key = (names.get(tableName) ?? []).map((name): [string, Json] => {
      const value = holder[name];
      if (value === undefined) throw validationError(`Missing the key ${name} in the item`);
      return [name, value];
    });
    return Object.fromEntries(key);
  });
}

/** Does one item; the reason that the answer of a cancelled transaction gives for it. */
async function failedCondition(item: TransactItem, Key: JsonObject, { call, tryOut }: Atomic): Promise<JsonObject> {
  try {
    // To delete a row asks the condition of a check, and of nothing else.
    if (item.action === 'ConditionCheckItem') await tryOut('DeleteItem', item.input);
    else await call(item.action, item.input);
    return { Code: 'None' };
  } catch (error) {
    if (!(error instanceof AwsError) || error.code !== 'ConditionalCheckFailedException') throw error;
    const reason = { Code: 'ConditionalCheckFailed', Message: error.message };
    if (!item.showsOld) return reason;
    const { Item } = await call('GetItem', { TableName: item.tableName, Key, ConsistentRead: true });
    return Item === undefined ? reason : { ...reason, Item };
  }
}

// Reading a `TransactWriteItems` request: what each of its items does, to which row of which table.

/** One item of a transaction. */
interface TransactItem {
  /** The single operation that does the same; IAM asks for it too. */
  readonly action: string;
  readonly tableName: string;
  /** The member as sent. */
  readonly input: JsonObject;
  /** Whether the reason for a failed condition shows the row as it is. */
  readonly showsOld: boolean;
}

const actions: ReadonlyMap<string, string> = new Map([
  ['ConditionCheck', 'ConditionCheckItem'],
  ['Put', 'PutItem'],
  ['Update', 'UpdateItem'],
  ['Delete', 'DeleteItem'],
]);

const transactItem = z.record(z.string(), z.custom<JsonObject>(isJsonObject)).transform((members, context) => {
  const [only, ...others] = Object.entries(members);
  const action = actions.get(only?.[0] ?? '');
  if (only !== undefined && action !== undefined && others.length === 0) {
    const { ReturnValuesOnConditionCheckFailure: shown, ...input } = only[1];
    return { action, tableName: asText(input['TableName']) ?? '', input, showsOld: shown === 'ALL_OLD' };
  }
  context.addIssue({ code: 'custom', message: 'TransactItems can only contain one of Check, Put, Update or Delete' });
  return z.NEVER;
});

const transactRow = z.looseObject({
  TransactItems: z.array(transactItem).min(1).max(100),
  ClientRequestToken: z.string().min(1).max(36).optional(),
});

/**
 * Reads a request, its items in order.
 * @throws AwsError ValidationException for a request that DynamoDB would not take
 */
export function readTransaction(input: JsonObject): z.output<typeof transactRow> {
  return readInput(transactRow, input, 'dynamodb:TransactWriteItems');
}

/** A request that DynamoDB would not take. */
function validationError(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
