/**
 * What a write would do, without doing it.
 *
 * The engine judges a condition only while it writes. So each item of a transaction is done once in
 * a second engine, in memory, whose table holds just the one row as it is. That engine is the same,
 * so it takes and refuses what the first one would, and it shows the whole row that results. A
 * whole row can be written again after a kill; an `ADD` could not.
 */
import {
  asList,
  asObject,
  asText,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJsonObject,
} from '../../template/assembly.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { createTable, type EngineAnswer, type EngineCalls } from './dynamodb-engine.ts';

/** A write without a condition, of one whole row: done twice it leaves what it leaves done once. */
export interface PlainWrite {
  readonly operation: 'PutItem' | 'DeleteItem';
  readonly input: JsonObject;
}

/** How one item of a transaction would end. */
export type Rehearsed =
  /** `write` is absent for a mere check. */
  | { readonly passed: true; readonly write?: PlainWrite }
  /** Its condition does not hold. */
  | { readonly passed: false; readonly message: string; readonly current: JsonObject | undefined };

/** Tries items of transactions out. */
export interface Rehearsal {
  /** Text that two items share if and only if they name the same row. */
  rowOf(item: TransactItem, tables: EngineCalls): Promise<string>;
  /**
   * Does one item in the second engine.
   * @param tables - the engine that keeps the rows; it is only read
   * @throws AwsError for what the engine does not take, with any condition
   */
  try(item: TransactItem, tables: EngineCalls): Promise<Rehearsed>;
}

/** Creates a rehearsal; `stage` is an engine of its own, in memory. */
export function createRehearsal(stage: EngineCalls): Rehearsal {
  const keysOfTable = new Map<string, Promise<readonly string[]>>();

  async function prepareTable(name: string, tables: EngineCalls): Promise<readonly string[]> {
    const described = await tables.forward('DescribeTable', JSON.stringify({ TableName: name }));
    const table = asObject(answered(described)['Table']);
    await createTable(stage, definitionOf(table));
    return asList(table['KeySchema']).flatMap((key) => asText(asObject(key)['AttributeName']) ?? []);
  }

  async function keyAttributes(name: string, tables: EngineCalls): Promise<readonly string[]> {
    const known = keysOfTable.get(name) ?? prepareTable(name, tables);
    keysOfTable.set(name, known);
    // A table that is not there may be created later.
    known.catch(() => keysOfTable.delete(name));
    return known;
  }

  async function keyOf({ kind, tableName, input }: TransactItem, tables: EngineCalls): Promise<JsonObject> {
    const attributes = await keyAttributes(tableName, tables);
    const holder = asObject(kind === 'Put' ? input['Item'] : input['Key']);
    return Object.fromEntries(
      attributes.map((name) => {
        const value = holder[name];
        if (value === undefined || value === null)
          throw validationError(`One or more parameter values were invalid: Missing the key ${name} in the item`);
        return [name, value];
      }),
    );
  }

  async function perform(item: TransactItem, at: JsonObject, current: JsonObject | undefined): Promise<Rehearsed> {
    // To delete the copy asks the condition of a check, and of nothing else.
    const operation = item.kind === 'ConditionCheck' ? 'DeleteItem' : item.action;
    const answer = await stage.forward(operation, JSON.stringify(item.input));
    if (answer.status !== 200 && errorOf(answer).code === 'ConditionalCheckFailedException')
      return { passed: false, message: errorOf(answer).message, current };
    answered(answer);
    if (item.kind === 'ConditionCheck') return { passed: true };
    if (item.kind === 'Delete') return { passed: true, write: { operation: 'DeleteItem', input: at } };
    const Item = asObject((await stage.call('GetItem', at))['Item']);
    return { passed: true, write: { operation: 'PutItem', input: { TableName: item.tableName, Item } } };
  }

  return {
    async rowOf(item, tables) {
      return JSON.stringify([item.tableName, await keyOf(item, tables)]);
    },
    async try(item, tables) {
      const { tableName: TableName } = item;
      const at: JsonObject = { TableName, Key: await keyOf(item, tables) };
      const read = await tables.forward('GetItem', JSON.stringify({ ...at, ConsistentRead: true }));
      const current = answered(read)['Item'];
      const row = current === undefined ? undefined : asObject(current);
      if (row !== undefined) await stage.call('PutItem', { TableName, Item: row });
      try {
        return await perform(item, at, row);
      } finally {
        await stage.call('DeleteItem', at);
      }
    },
  };
}

/** Input of `CreateTable` for a table of the same keys and indexes. */
function definitionOf(table: JsonObject): JsonObject {
  const definition: JsonObject = {
    TableName: table['TableName'] ?? '',
    AttributeDefinitions: table['AttributeDefinitions'] ?? [],
    KeySchema: table['KeySchema'] ?? [],
    BillingMode: 'PAY_PER_REQUEST',
  };
  for (const kind of ['GlobalSecondaryIndexes', 'LocalSecondaryIndexes']) {
    const indexes = asList(table[kind]).map(asObject);
    if (indexes.length === 0) continue;
    definition[kind] = indexes.map(({ IndexName = '', KeySchema = [], Projection = {} }) => ({
      IndexName,
      KeySchema,
      Projection,
    }));
  }
  return definition;
}

/** The body of an answer; a refusal is thrown in the words of the engine. */
function answered(answer: EngineAnswer): JsonObject {
  if (answer.status === 200) return parseJsonObject(answer.body, 'the answer of dynalite');
  const { code, message } = errorOf(answer);
  throw new AwsError(code, message, { status: answer.status });
}

function errorOf({ body }: EngineAnswer): { readonly code: string; readonly message: string } {
  const { __type, message, Message } = parseJsonObject(body, 'the refusal of dynalite');
  return {
    code: asText(__type)?.split('#').at(-1) ?? 'InternalServerError',
    message: asText(message ?? Message) ?? body,
  };
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
export function readClientToken(input: JsonObject): string | undefined {
  const token = asText(input['ClientRequestToken']);
  if (token !== undefined && (token === '' || token.length > MOST_TOKEN_CHARACTERS))
    throw validationError(
      `Value at 'clientRequestToken' failed to satisfy constraint: Member must have length between 1 and ${MOST_TOKEN_CHARACTERS}`,
    );
  return token;
}

/** A request that DynamoDB would not take. */
export function validationError(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
