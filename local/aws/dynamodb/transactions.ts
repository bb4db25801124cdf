/**
 * `TransactWriteItems`, which dynalite does not have. Each item is done by the single operation that
 * does the same. All that they write is one batch, so a reader and a kill find all of it or none.
 */
import { createHash } from 'node:crypto';
import { asList, asObject, asText, isJsonObject, type Json, type JsonObject } from '../../template/assembly.ts';
import { type AwsResponse, jsonResponse } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { itemBytes } from './dynalite-store.ts';
import type { Atomic, DynamoDbEngine } from './dynamodb-engine.ts';

/** What transactions need. */
interface TransactionOptions {
  readonly engine: DynamoDbEngine;
  /**
   * Real time, since clients time their repeats by it. A moved clock does not change it. @default
   * performance.now
   */
  readonly elapsedMs?: () => number;
}

/** Answers a request; refusals other than a cancellation are thrown. */
export type TransactWrite = (input: JsonObject) => Promise<AwsResponse>;

/** DynamoDB remembers a client token for this long. */
const TOKEN_LIFE_MS = 10 * 60_000;

const ERROR_PREFIX = 'com.amazonaws.dynamodb.v20120810#';

/** Creates transactions over the tables of one engine. */
export function createTransactions(options: TransactionOptions): TransactWrite {
  const { engine, elapsedMs = () => performance.now() } = options;
  const tokens = createTokenMemory(elapsedMs);

  return async (input) => {
    const items = readTransactItems(input);
    refuseLarge(items);
    const token = readClientToken(input);
    const digest = createHash('sha256').update(JSON.stringify(input['TransactItems'])).digest('base64');
    let isNew = false;
    try {
      await engine.atomically(async (atomic) => {
        const earlier = token === undefined ? undefined : tokens.get(token);
        if (earlier !== undefined && earlier !== digest) throw mismatch();
        if (earlier !== undefined) return;
        await apply(items, atomic);
        isNew = true;
        if (token !== undefined) tokens.set(token, digest);
      });
    } catch (error) {
      if (error instanceof Cancelled) return error.answer;
      // The disk did not take it: a repeat has to write.
      if (isNew && token !== undefined) tokens.delete(token);
      throw error;
    }
    return jsonResponse({}, { protocol: 'json-1.0' });
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
  if (reasons.some(({ Code }) => Code !== 'None')) throw new Cancelled(reasons);
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
  return items.map(({ kind, tableName, input }) => {
    const holder = asObject(kind === 'Put' ? input['Item'] : input['Key']);
    const key = (names.get(tableName) ?? []).map((name): [string, Json] => {
      const value = holder[name];
      if (value === undefined || value === null)
        throw validationError(`One or more parameter values were invalid: Missing the key ${name} in the item`);
      return [name, value];
    });
    return Object.fromEntries(key);
  });
}

/** Does one item; the reason that the answer of a cancelled transaction gives for it. */
async function failedCondition(item: TransactItem, Key: JsonObject, { call, tryOut }: Atomic): Promise<JsonObject> {
  try {
    // To delete a row asks the condition of a check, and of nothing else.
    if (item.kind === 'ConditionCheck') await tryOut('DeleteItem', item.input);
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

/** Nothing of the transaction is written. */
class Cancelled extends Error {
  readonly answer: AwsResponse;

  /** A reason for each item, in order. */
  constructor(CancellationReasons: readonly JsonObject[]) {
    const codes = CancellationReasons.map(({ Code }) => asText(Code)).join(', ');
    super(`Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`);
    const body = {
      __type: `${ERROR_PREFIX}TransactionCanceledException`,
      CancellationReasons,
      Message: this.message,
    };
    this.answer = jsonResponse(body, { status: 400, protocol: 'json-1.0' });
  }
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
    delete: (token: string): void => void known.delete(token),
  };
}

function mismatch(): AwsError {
  return new AwsError(
    'IdempotentParameterMismatchException',
    'The request uses the same client token as a previous, but non-identical request.',
  );
}

// Reading a `TransactWriteItems` request: what each of its items does, to which row of which table.

/** One item of a transaction. */
export interface TransactItem {
  /** Its member of the request. */
  readonly kind: TransactKind;
  /** The single operation that does the same; IAM asks for it too. */
  readonly action: string;
  readonly tableName: string;
  /** The member as sent, with the plain name of the table. */
  readonly input: JsonObject;
  /** Whether the reason for a failed condition shows the row as it is. */
  readonly showsOld: boolean;
}

/** What an item of a transaction can be. */
type TransactKind = 'ConditionCheck' | 'Put' | 'Update' | 'Delete';

const ACTIONS: Readonly<Record<TransactKind, string>> = {
  ConditionCheck: 'ConditionCheckItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
};

/** The most items of one transaction. */
const MOST_ITEMS = 100;

/** The longest token of a client. */
const MOST_TOKEN_CHARACTERS = 36;

/**
 * Reads the items, in order.
 * @throws AwsError ValidationException for a request that DynamoDB would not take
 */
export function readTransactItems(input: JsonObject): readonly TransactItem[] {
  const items = input['TransactItems'];
  if (!Array.isArray(items) || items.length === 0)
    throw validationError(
      "Value at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  if (items.length > MOST_ITEMS)
    throw validationError(
      `Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to ${MOST_ITEMS}`,
    );
  return items.map(readItem);
}

function readItem(value: Json): TransactItem {
  const members = Object.entries(asObject(value)).filter(([, member]) => member !== null);
  const [kind, member] = members[0] ?? ['', undefined];
  if (members.length !== 1 || !isKind(kind) || !isJsonObject(member))
    throw validationError('TransactItems can only contain one of Check, Put, Update or Delete');
  const tableName = asText(member['TableName'])?.split('/').at(-1) ?? '';
  if (tableName === '')
    throw validationError("Value null at 'tableName' failed to satisfy constraint: Member must not be null");
  if (kind === 'ConditionCheck' && asText(member['ConditionExpression']) === undefined)
    throw validationError("Value null at 'conditionExpression' failed to satisfy constraint: Member must not be null");
  const { ReturnValuesOnConditionCheckFailure, ...rest } = member;
  return {
    kind,
    action: ACTIONS[kind],
    tableName,
    input: { ...rest, TableName: tableName },
    showsOld: ReturnValuesOnConditionCheckFailure === 'ALL_OLD',
  };
}

function isKind(text: string): text is TransactKind {
  return Object.hasOwn(ACTIONS, text);
}

/**
 * The token by which a repeat is known.
 * @throws AwsError ValidationException for a text of a length that DynamoDB does not take
 */
function readClientToken(input: JsonObject): string | undefined {
  const token = asText(input['ClientRequestToken']);
  if (token !== undefined && (token === '' || token.length > MOST_TOKEN_CHARACTERS))
    throw validationError(
      `Value at 'clientRequestToken' failed to satisfy constraint: Member must have length between 1 and ${MOST_TOKEN_CHARACTERS}`,
    );
  return token;
}

/** A request that DynamoDB would not take. */
function validationError(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
