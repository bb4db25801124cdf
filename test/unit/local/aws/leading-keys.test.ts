import { describe, expect, test } from 'vitest';
import { leadingKeys, leadingKeysOfQuery } from '#local/aws/dynamodb/leading-keys.ts';
import type { LocalTable } from '#local/aws/dynamodb/tables.ts';
import { compilePolicy, evaluatePolicy } from '#local/aws/iam/policy.ts';

const table: LocalTable = {
  name: 'ledger',
  arn: 'arn:aws:dynamodb:eu-west-1:0:table/ledger',
  ttlAttribute: undefined,
  keyAttributes: ['pk'],
  definition: {
    GlobalSecondaryIndexes: [{ IndexName: 'open', KeySchema: [{ AttributeName: 'openState', KeyType: 'HASH' }] }],
  },
};
const query = {
  KeyConditionExpression: '#state = :state AND #at BETWEEN :since AND :until',
  ExpressionAttributeNames: { '#state': 'openState', '#at': 'openSince' },
  ExpressionAttributeValues: { ':state': { S: 'PARKED' }, ':since': { S: '0' }, ':until': { S: '9' } },
};
const ownRows = [
  {
    Effect: 'Allow',
    Action: 'dynamodb:*',
    Resource: table.arn,
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['run#*', 'command#*'] } },
  },
];

function verdict(action: string, pks: readonly string[]): string {
  const context = leadingKeys(
    pks.map((S) => ({ pk: { S } })),
    table,
  );
  return evaluatePolicy(compilePolicy({ Statement: ownRows }, 'test'), { action, resource: table.arn, context });
}

describe('the key dynamodb:LeadingKeys', () => {
  test('holds the row of a request, each row of a batch, once', () => {
    expect(leadingKeys([{ pk: { S: 'run#a' } }, { pk: { S: 'run#b' } }, { pk: { S: 'run#a' } }], table)).toEqual({
      'dynamodb:LeadingKeys': ['run#a', 'run#b'],
    });
  });

  test('holds for a query of an index what it asks the key of the index to be', () => {
    expect(leadingKeysOfQuery({ ...query, IndexName: 'open' }, table)).toEqual({ 'dynamodb:LeadingKeys': ['PARKED'] });
    expect(leadingKeysOfQuery(query, table)).toEqual({});
  });

  test('lets a policy keep rows of other kinds from a request and from each row of a batch', () => {
    expect(verdict('dynamodb:PutItem', ['run#nightly'])).toBe('allow');
    expect(verdict('dynamodb:PutItem', ['run-id#nightly'])).toBe('none');
    expect(verdict('dynamodb:BatchGetItem', ['run#nightly', 'command#1', 'switch#stage'])).toBe('none');
  });

  test('is absent from a scan, which such a condition would let pass: no grant of ours holds one', () => {
    expect(verdict('dynamodb:Scan', [])).toBe('allow');
  });
});
