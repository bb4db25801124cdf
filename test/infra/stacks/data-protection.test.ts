import { beforeAll, describe, expect, test } from 'vitest';
import { at, configurations, listOf, ofType, type StageTemplates, synthesize, textAt } from '../template.ts';
import { idsOf, propertiesOf, refusals, statementsOf } from './state-of.ts';

describe('what the deployed example holds', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await synthesize(configurations.example);
  });

  test('is not public, in any bucket', () => {
    const buckets = ofType(stage.state, 'AWS::S3::Bucket');
    expect(buckets).toHaveLength(2);
    for (const [id, { Properties }] of buckets) {
      expect(Properties['PublicAccessBlockConfiguration'], id).toEqual({
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      });
      expect(statementsOf(stage, 'AWS::S3::BucketPolicy', 'Bucket', id)).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
    }
  });

  test('keeps every version of a file, and forgets what was replaced after 400 days, with the ledger', () => {
    const properties = propertiesOf(stage, 'Bucket');
    expect(at(properties, 'VersioningConfiguration.Status')).toBe('Enabled');
    const [rule] = listOf(at(properties, 'LifecycleConfiguration.Rules'));
    expect(rule).toMatchObject({ NoncurrentVersionExpiration: { NoncurrentDays: 400 }, Status: 'Enabled' });
    expect(rule).not.toHaveProperty('ExpirationInDays');
  });

  test('writes down who put and who read a file, in a bucket that takes logs of this one only', () => {
    const [logs = ''] = idsOf(stage, 'BucketAccessLogs');
    expect(at(propertiesOf(stage, 'Bucket'), 'LoggingConfiguration.DestinationBucketName')).toEqual({ Ref: logs });
    expect(statementsOf(stage, 'AWS::S3::BucketPolicy', 'Bucket', logs)).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 's3:PutObject',
        Principal: { Service: 'logging.s3.amazonaws.com' },
        Condition: {
          ArnEquals: { 'aws:SourceArn': bucketArn },
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
        },
      }),
    );
  });

  test('refuses a file that the functions could not decrypt, when it is put', () => {
    expect(refusals(stage)).toEqual({
      NoOtherKey: { Null: { 's3:x-amz-server-side-encryption-aws-kms-key-id': 'false' } },
      NoKeyOfTheSender: { Null: { 's3:x-amz-server-side-encryption-customer-algorithm': 'false' } },
    });
  });

  test('can be brought back to any second of the last weeks, and is not deleted by mistake', () => {
    const properties = propertiesOf(stage, 'Ledger');
    expect(at(properties, 'PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled')).toBe(true);
    expect(at(properties, 'DeletionProtectionEnabled')).toBe(true);
  });

  test('the token is for this account and over TLS only, whatever a role is allowed', () => {
    const [policy] = ofType(stage.state, 'AWS::SecretsManager::ResourcePolicy');
    expect(policy?.[1].Properties).toMatchObject({ SecretId: { Ref: 'Token' }, BlockPublicPolicy: true });
    const statements = listOf(at(policy?.[1].Properties, 'ResourcePolicy.Statement'));
    expect(statements.map((statement) => [at(statement, 'Effect'), at(statement, 'Condition')])).toEqual([
      ['Deny', { Bool: { 'aws:SecureTransport': 'false' } }],
      ['Deny', { StringNotEquals: { 'aws:PrincipalAccount': { Ref: 'AWS::AccountId' } } }],
    ]);
  });

  // Before, a policy that says "starts nothing" let people put files whose rule says thenStart.
  test('who may write tests may not write tests that start a run', () => {
    const refuse = { Action: 's3:PutObject', Effect: 'Deny', Resource: objectsBelow('datasets/pii/') };
    for (const [id, denied] of [
      ['DatasetsWriter', [refuse]],
      ['StartingDatasetsWriter', []],
    ] as const) {
      const statements = listOf(at(propertiesOf(stage, id), 'PolicyDocument.Statement'));
      expect(statements).toEqual([
        {
          Action: ['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts', 's3:PutObject'],
          Effect: 'Allow',
          Resource: objectsBelow('datasets/'),
        },
        ...denied,
      ]);
      expect(stage.state.outputs[`${id}PolicyArn`]?.Value).toEqual({ Ref: idsOf(stage, id)[0] });
    }
  });

  test('what is kept when the stack goes keeps what it refuses', () => {
    const policies = ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy', 'AWS::SecretsManager::ResourcePolicy'].flatMap(
      (type) => ofType(stage.state, type),
    );
    const on = policies.flatMap(([, { Properties }]) =>
      [Properties['Bucket'], ...listOf(Properties['Queues']), Properties['SecretId']].map((one) => textAt(one, 'Ref')),
    );
    for (const type of ['AWS::S3::Bucket', 'AWS::SQS::Queue', 'AWS::SecretsManager::Secret']) {
      for (const [id] of ofType(stage.state, type)) expect(on, id).toContain(id);
    }
    for (const [id, policy] of policies) {
      expect([policy.DeletionPolicy, policy.UpdateReplacePolicy], id).toEqual(['Retain', 'Retain']);
    }
  });

  test('takes no queue of another owner among the dead letters of the schedules', () => {
    expect(propertiesOf(stage, 'SchedulesDeadLetters')['RedriveAllowPolicy']).toEqual({ redrivePermission: 'denyAll' });
  });

  test('costs nothing for keys', () => {
    expect(ofType(stage.state, 'AWS::KMS::Key')).toEqual([]);
  });
});

const bucketArn: unknown = { 'Fn::Join': ['', expect.arrayContaining([':s3:::gateway-autopilot-prod-'])] };

function objectsBelow(prefix: string): unknown {
  return { 'Fn::Join': ['', expect.arrayContaining([`/${prefix}*`])] };
}
