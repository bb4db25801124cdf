import { describe, expect, test } from 'vitest';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import type { Json, JsonObject } from '#local/template/json.ts';
import { assemblyOf } from '../../../builders/write-assembly.ts';
import { developerKey } from '../../../builders/developer-key.ts';

const JOBS = 'arn:aws:sqs:eu-west-1:000000000000:App-Jobs';
const ROLE = 'arn:aws:iam::000000000000:role/App-Worker';
const trust = (service: string): JsonObject => ({
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: service } }],
});

function authorityOver(resources: JsonObject, roleProperties: JsonObject = {}): Authority {
  const template = {
    Resources: {
      Jobs: { Type: 'AWS::SQS::Queue' },
      Worker: {
        Type: 'AWS::IAM::Role',
        Properties: { AssumeRolePolicyDocument: trust('lambda.amazonaws.com'), ...roleProperties },
      },
      ...resources,
    },
  };
  return createAuthority(assemblyOf({ App: template }), developerKey);
}

function policy(statement: Json): JsonObject {
  const PolicyDocument = { Statement: [statement] };
  return { Type: 'AWS::IAM::Policy', Properties: { PolicyName: 'p', Roles: [{ Ref: 'Worker' }], PolicyDocument } };
}

const maySend = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: { 'Fn::GetAtt': ['Jobs', 'Arn'] } };
const asWorker = (authority: Authority, action: string, resource = JOBS) =>
  authority.authorize({ caller: authority.roleCaller(ROLE, 'send-jobs'), action, resource });

describe('the authority', () => {
  test('lets a person do what the one policy behind the key allows, and nothing else', () => {
    const authority = authorityOver({
      Sender0123ABCD: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: { Statement: [maySend] } } },
    });
    const caller = authority.callerOf('POLICY-sender');
    const ask = (action: string) => authority.authorize({ caller, action, resource: JOBS });

    expect(ask('sqs:SendMessage')).toEqual({ allowed: true });
    expect(ask('sqs:ReceiveMessage')).toMatchObject({
      allowed: false,
      message:
        'User: arn:aws:iam::000000000000:user/with-Sender is not authorized to perform: sqs:ReceiveMessage ' +
        `on resource: ${JOBS} because no identity-based policy allows the sqs:ReceiveMessage action`,
    });
  });

  test('says when an explicit deny is the reason', () => {
    const authority = authorityOver({ Yes: policy(maySend), No: policy({ ...maySend, Effect: 'Deny' }) });

    expect(asWorker(authority, 'sqs:SendMessage')).toMatchObject({
      message: expect.stringContaining('with an explicit deny in an identity-based policy'),
    });
  });

  test('refuses a role with a permissions boundary, which is not evaluated here', () => {
    expect(() => authorityOver({}, { PermissionsBoundary: 'arn:x' })).toThrow('PermissionsBoundary');
  });

  test('lets a service in by the policy on the queue alone, from the named source', () => {
    const Condition = { ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::inbox' } };
    const statement = { ...maySend, Principal: { Service: 's3.amazonaws.com' }, Condition };
    const authority = authorityOver({
      QueuePolicy: {
        Type: 'AWS::SQS::QueuePolicy',
        Properties: { Queues: [{ Ref: 'Jobs' }], PolicyDocument: { Statement: [statement] } },
      },
    });
    const from = (source: string) =>
      authority.authorize({
        caller: { kind: 'service', service: 's3.amazonaws.com' },
        action: 'sqs:SendMessage',
        resource: JOBS,
        context: { 'aws:SourceArn': source },
      });

    expect(from('arn:aws:s3:::inbox')).toEqual({ allowed: true });
    expect(from('arn:aws:s3:::other')).toMatchObject({
      message: expect.stringContaining('because no resource-based policy allows the sqs:SendMessage action'),
    });
  });

  test('knows a caller by the key it handed out, and takes every other for the developer', () => {
    const authority = authorityOver({});
    const { accessKeyId } = authority.accessKeyFor(ROLE, 'send-jobs');

    expect(authority.callerOf(accessKeyId)).toMatchObject({ roleArn: ROLE, session: 'send-jobs' });
    expect(authority.callerOf('test')).toEqual({ kind: 'developer' });
    expect(() => authority.callerOf('POLICY-Root')).toThrow('the stage has no policy for people "Root": it has none');
    expect(authority.authorize({ caller: { kind: 'developer' }, action: 'x:Y', resource: 'z' })).toEqual({
      allowed: true,
    });
  });
});
