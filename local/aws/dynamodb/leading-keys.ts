import { asList, asObject, asText, type JsonObject } from '../../template/json.ts';
import type { RequestContext } from '../iam/conditions.ts';
import type { LocalTable } from './declared-tables.ts';

/**
 * The rows that a request names, by their partition keys: `dynamodb:LeadingKeys`. A scan names
 * none, so the key is absent. Of an index it is the partition key of the index (Amazon DynamoDB
 * Developer Guide, "Using IAM policy conditions for fine-grained access control").
 */
export function leadingKeys(
  holders: readonly JsonObject[],
  { keyAttributes: [partition = ''] }: LocalTable,
): RequestContext {
  return contextOf(holders.map((holder) => asText(asObject(holder[partition])['S'])));
}

/**
 * The attributes that a request to write a row names, also in its condition: `dynamodb:Attributes`
 * (the same guide).
 */
export function attributesOf(input: JsonObject): RequestContext {
  const names = [
    ...Object.keys(asObject(input['Item'])),
    ...Object.values(asObject(input['ExpressionAttributeNames'])),
  ];
  const known = names.filter((name) => typeof name === 'string').toSorted();
  return known.length === 0 ? {} : { 'dynamodb:Attributes': [...new Set(known)] };
}

/** The leading keys of a query: what its condition asks the partition key to be. */
export function leadingKeysOfQuery(input: JsonObject, table: LocalTable): RequestContext {
  const partition = partitionOf(table, asText(input['IndexName']));
  const names = asObject(input['ExpressionAttributeNames']);
  const values = asObject(input['ExpressionAttributeValues']);
  const asked = [...(asText(input['KeyConditionExpression']) ?? '').matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g)]
    .filter(([, name = '']) => (asText(names[name]) ?? name) === partition)
    .map(([, , value = '']) => asText(asObject(values[value])['S']));
  return contextOf(asked);
}

function partitionOf({ keyAttributes, definition }: LocalTable, index: string | undefined): string | undefined {
  if (index === undefined) return keyAttributes[0];
  const found = asList(definition['GlobalSecondaryIndexes'])
    .map(asObject)
    .find((one) => one['IndexName'] === index);
  const keys = asList(found?.['KeySchema']).map(asObject);
  return asText(keys.find(({ KeyType }) => KeyType === 'HASH')?.['AttributeName']);
}

function contextOf(keys: readonly (string | undefined)[]): RequestContext {
  const known = keys.filter((key) => key !== undefined);
  return known.length === 0 ? {} : { 'dynamodb:LeadingKeys': [...new Set(known)] };
}
