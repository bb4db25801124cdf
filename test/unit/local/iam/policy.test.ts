import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePolicy, evaluatePolicy, type PolicyRequest, type PolicyVerdict } from '#local/aws/iam/policy.ts';
import type { Json, JsonObject } from '#local/template/json.ts';
import { matchesArn, matchesGlob } from '#local/aws/iam/conditions.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const request: PolicyRequest = { action: 'sqs:SendMessage', resource: 'arn:aws:sqs:eu-west-1:0:jobs', context: {} };
const allow: JsonObject = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: request.resource };

function verdict(statements: Json[], more: Partial<PolicyRequest> = {}): PolicyVerdict {
  return evaluatePolicy(compilePolicy({ Version: '2012-10-17', Statement: statements }, 'test'), {
    ...request,
    ...more,
  });
}

describe('evaluatePolicy', () => {
  test('allows what a statement names, and nothing else', () => {
    expect(verdict([allow])).toBe('allow');
    expect(verdict([allow], { action: 'sqs:ReceiveMessage' })).toBe('none');
    expect(verdict([allow], { resource: 'arn:aws:sqs:eu-west-1:0:jobs2' })).toBe('none');
  });

  test('lets an explicit deny win over any allow, in any order', () => {
    const deny = { ...allow, Effect: 'Deny', Action: 'sqs:*' };

    expect(verdict([allow, deny])).toBe('deny');
    expect(verdict([deny, allow])).toBe('deny');
  });

  test('compares actions without regard to case, resources with', () => {
    expect(verdict([{ ...allow, Action: 'SQS:sendmessage' }])).toBe('allow');
    expect(verdict([{ ...allow, Resource: 'arn:aws:sqs:eu-west-1:0:JOBS' }])).toBe('none');
  });

  test.each<[string, Json, PolicyRequest['context'], PolicyVerdict]>([
    ['StringEquals holds', { StringEquals: { k: ['a', 'b'] } }, { k: 'b' }, 'allow'],
    ['StringEquals does not hold', { StringEquals: { k: 'a' } }, { k: 'b' }, 'none'],
    ['StringEquals without the key', { StringEquals: { k: 'a' } }, {}, 'none'],
    ['StringNotEquals without the key', { StringNotEquals: { k: 'a' } }, {}, 'allow'],
    ['StringNotEquals with the value', { StringNotEquals: { k: ['a', 'b'] } }, { k: 'b' }, 'none'],
    ['StringLike', { StringLike: { k: 'data/*' } }, { k: 'data/x' }, 'allow'],
    ['ArnLike', { ArnLike: { 'AWS:SourceArn': 'arn:aws:s3:::b*' } }, { 'aws:SourceArn': 'arn:aws:s3:::box' }, 'allow'],
    ['Bool', { Bool: { 'aws:SecureTransport': false } }, { 'aws:SecureTransport': 'true' }, 'none'],
    ['Null of an absent key', { Null: { k: true } }, {}, 'allow'],
    ['Null of a present key', { Null: { k: 'true' } }, { k: 'a' }, 'none'],
    ['ForAllValues', { 'ForAllValues:StringEquals': { k: ['a', 'b'] } }, { k: ['a', 'c'] }, 'none'],
    ['two operators, one failing', { StringEquals: { k: 'a' }, Null: { k: true } }, { k: 'a' }, 'none'],
  ])('evaluates %s', (_name, condition, context, expected) => {
    expect(verdict([{ ...allow, Condition: condition }], { context })).toBe(expected);
  });

  test.each(['IpAddress', 'StringEqualsIfExists', 'ForAnyValue:StringEquals'])(
    'refuses a policy whose condition operator it does not know, instead of allowing: %s',
    (operator) => {
      expect(() => verdict([{ ...allow, Condition: { [operator]: { k: 'a' } } }])).toThrow(
        `test, statement 1: the condition operator ${operator} is not known`,
      );
    },
  );

  test.each<[string, JsonObject]>([
    ['policy variables in resources', { Resource: 'arn:aws:s3:::b/${aws:username}' }],
    ['policy variables in conditions', { Condition: { StringEquals: { k: '${aws:username}' } } }],
    ['NotPrincipal', { NotPrincipal: '*' }],
    ['NotAction', { NotAction: 'sqs:Delete*' }],
    ['keys it has never heard of', { Until: 'tomorrow' }],
    ['another effect', { Effect: 'Maybe' }],
  ])('refuses %s', (_name, more) => {
    expect(() => verdict([{ ...allow, ...more }])).toThrow('test, statement 1');
  });

  test('refuses a statement for a role that names no resource, instead of taking it for all of them', () => {
    expect(() => verdict([{ Effect: 'Allow', Action: '*' }])).toThrow('no Resource');
  });

  test('never allows more because of a further deny', () => {
    const effect = fc.constantFrom('Allow', 'Deny');
    const pattern = fc.constantFrom('*', 'sqs:*', 'sqs:SendMessage', 's3:*');
    const statement = fc.record({
      Effect: effect,
      Action: pattern,
      Resource: fc.constantFrom('*', request.resource, 'x'),
    });
    fc.assert(
      fc.property(fc.array(statement), statement, (statements, more) => {
        const before = verdict(statements);
        const after = verdict([...statements, { ...more, Effect: 'Deny' }]);
        expect(after === 'allow' ? before : 'allow').toBe('allow');
      }),
      propertyRuns(),
    );
  });

  test('a policy on a resource asks for its principal', () => {
    const byS3 = { ...allow, Principal: { Service: 's3.amazonaws.com' } };

    expect(verdict([byS3], { principal: { kind: 'service', service: 's3.amazonaws.com' } })).toBe('allow');
    expect(verdict([byS3], { principal: { kind: 'service', service: 'sns.amazonaws.com' } })).toBe('none');
  });

  test('naming the account as principal denies for its roles, and allows none of them', () => {
    const principal = { kind: 'role', arn: 'arn:aws:iam::0:role/r', accountId: '0' } as const;
    const account = { ...allow, Principal: { AWS: 'arn:aws:iam::0:root' } };

    expect(verdict([account], { principal })).toBe('none');
    expect(verdict([{ ...account, Effect: 'Deny' }], { principal })).toBe('deny');
    expect(verdict([{ ...allow, Principal: { AWS: principal.arn } }], { principal })).toBe('allow');
  });
});

/** The same by way of regular expressions: slow on purpose-made patterns, and plain. */
function byRegExp(pattern: string, text: string): boolean {
  const source = pattern
    .split('')
    .map((character) =>
      character === '*' ? '[^]*' : character === '?' ? '[^]' : character.replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&'),
    );
  return new RegExp(`^${source.join('')}$`).test(text);
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', ':') });
const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '.', ':', '*', '?') });

describe('matchesGlob', () => {
  test('agrees with a regular expression on every pattern and text', () => {
    fc.assert(
      fc.property(patterns, letters, (pattern, text) => {
        expect(matchesGlob(pattern, text)).toBe(byRegExp(pattern, text));
      }),
      propertyRuns(),
    );
  });

  test('answers at once to a pattern made to take for ever', () => {
    expect(matchesGlob(`${'*a'.repeat(50)}*b`, 'a'.repeat(5000))).toBe(false);
  });
});

test('matchesArn keeps a star inside its part of the ARN', () => {
  expect(matchesArn('arn:aws:s3:::*', 'arn:aws:s3:::bucket/key:with:colons')).toBe(true);
  expect(matchesArn('arn:aws:*:queue', 'arn:aws:sqs:eu-west-1:0:queue')).toBe(false);
});
