/** Reading a `TransactWriteItems` request: what each of its items does, to which row of which table. */
import { asObject, asText, isJsonObject } from '../../template/json.ts';
import type { Json, JsonObject } from '../../template/json.ts';
import { AwsError } from '../wire/aws-error.ts';

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
export type TransactKind = 'ConditionCheck' | 'Put' | 'Update' | 'Delete';

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
    throw invalid(
      "Value at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  if (items.length > MOST_ITEMS)
    throw invalid(
      `Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to ${MOST_ITEMS}`,
    );
  return items.map(readItem);
}

function readItem(value: Json): TransactItem {
  const members = Object.entries(asObject(value)).filter(([, member]) => member !== null);
  const [kind, member] = members[0] ?? ['', undefined];
  if (members.length !== 1 || !isKind(kind) || !isJsonObject(member))
    throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
  const tableName = asText(member['TableName'])?.split('/').at(-1) ?? '';
  if (tableName === '')
    throw invalid("Value null at 'tableName' failed to satisfy constraint: Member must not be null");
  if (kind === 'ConditionCheck' && asText(member['ConditionExpression']) === undefined)
    throw invalid("Value null at 'conditionExpression' failed to satisfy constraint: Member must not be null");
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
    throw invalid(
      `Value at 'clientRequestToken' failed to satisfy constraint: Member must have length between 1 and ${MOST_TOKEN_CHARACTERS}`,
    );
  return token;
}

/** A request that DynamoDB would not take. */
export function invalid(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
