import { describe, expect, test } from 'vitest';
import { leadingKeys, leadingKeysOfQuery } from '#local/aws/dynamodb/leading-keys.ts';
import type { LocalTable } from '#local/aws/dynamodb/declared-tables.ts';

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
describe('the key dynamodb:LeadingKeys', () => {
  test('holds the row of a request, each row of a batch, once; of a scan there is none', () => {
    expect(leadingKeys([], table)).toEqual({});
    expect(leadingKeys([{ pk: { S: 'run#a' } }, { pk: { S: 'run#b' } }, { pk: { S: 'run#a' } }], table)).toEqual({
      'dynamodb:LeadingKeys': ['run#a', 'run#b'],
    });
  });

  test('holds for a query of an index what it asks the key of the index to be', () => {
    expect(leadingKeysOfQuery({ ...query, IndexName: 'open' }, table)).toEqual({ 'dynamodb:LeadingKeys': ['PARKED'] });
    expect(leadingKeysOfQuery(query, table)).toEqual({});
  });
});
