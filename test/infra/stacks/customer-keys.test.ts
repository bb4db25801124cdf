import { beforeAll, describe, expect, test } from 'vitest';
import { createAuthority } from '#local/aws/iam/authority.ts';
import { compilePolicy, evaluatePolicy, type PolicyVerdict } from '#local/aws/iam/policy.ts';
import { resourcesOfType } from '#local/template/cloud-assembly.ts';
import { readAssembly } from '#local/template/read-assembly.ts';
import { developerKey } from '../../builders/developer-key.ts';
import { grantedIn } from '../security/granted.ts';
import { plainId } from '../security/words.ts';
import { at, listOf, ofType, type StageTemplates, textAt, withStage } from '../template.ts';
import { stageWith, withDocument } from './stage-with.ts';
import { idsOf, propertiesOf, statementsOf } from './state-of.ts';

const encryption = 's3:x-amz-server-side-encryption';
const keyId = `${encryption}-aws-kms-key-id`;

const keysOfAccount = { deployment: { encryption: 'customer-managed' } } as const;

describe('with keys of the account', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await stageWith(keysOfAccount, 'prod');
  });

  test('each kind of data has its own, which changes every year and stays when the stack goes', () => {
    const keys = ofType(stage.state, 'AWS::KMS::Key');
    expect(keys.map(([id]) => id).toSorted()).toEqual([
      // Fixed for life, as the data is that they encrypt.
      'KeysBucketCD17BC7E',
      'KeysLedger7E0A7958',
      'KeysQueues212F02B9',
      'KeysTokenFA6B06E5',
    ]);
    for (const [id, resource] of keys) {
      expect(resource.Properties['EnableKeyRotation'], id).toBe(true);
      expect([resource.DeletionPolicy, resource.UpdateReplacePolicy], id).toEqual(['Retain', 'Retain']);
    }
    expect(keyOf(stage, 'Ledger', 'SSESpecification.KMSMasterKeyId')).toBe('KeysLedger');
    expect(keyOf(stage, 'Token', 'KmsKeyId')).toBe('KeysToken');
    for (const [id, { Properties }] of ofType(stage.state, 'AWS::SQS::Queue')) {
      expect(plainId(textAt(Properties, 'KmsMasterKeyId.Fn::GetAtt.0')), id).toBe('KeysQueues');
    }
    const byDefault = 'BucketEncryption.ServerSideEncryptionConfiguration.0';
    expect(keyOf(stage, 'Bucket', `${byDefault}.ServerSideEncryptionByDefault.KMSMasterKeyID`)).toBe('KeysBucket');
    expect(at(propertiesOf(stage, 'Bucket'), `${byDefault}.BucketKeyEnabled`)).toBe(true);
  });

  test('it holds nothing that the runner of one machine does not know', async () => {
    const keyed = await withDocument(keysOfAccount, 'prod', async (configuration) =>
      withStage(configuration, (app) => readAssembly(app.synth().directory)),
    );

    expect(keyed.unsupported.filter((what) => what.endsWith(')'))).toEqual([]); // a type, and no property
    const keys = resourcesOfType(keyed, 'AWS::KMS::Key').map(({ arn }) => arn);
    expect(keys).toHaveLength(4);
    const [queue] = resourcesOfType(keyed, 'AWS::SQS::Queue');
    expect(keys).toContain(queue?.properties['KmsMasterKeyId']);
    expect(() => createAuthority(keyed, developerKey)).not.toThrow(); // every policy can be evaluated
  });

  test('S3 may use the key of the queues, and no service another one', () => {
    const opened = ofType(stage.state, 'AWS::KMS::Key').flatMap(([id, { Properties }]) =>
      listOf(at(Properties, 'KeyPolicy.Statement'))
        .filter((statement) => at(statement, 'Principal.Service') !== undefined)
        .map((statement) => [plainId(id), at(statement, 'Principal.Service'), at(statement, 'Action')]),
    );
    expect(opened).toEqual([['KeysQueues', 's3.amazonaws.com', ['kms:Decrypt', 'kms:GenerateDataKey']]]);
  });

  test.each<[string, Readonly<Record<string, string>>, PolicyVerdict]>([
    ['nothing', {}, 'none'],
    ['the key', { [encryption]: 'aws:kms', [keyId]: 'THE KEY' }, 'none'],
    ['the key, twice over', { [encryption]: 'aws:kms:dsse', [keyId]: 'THE KEY' }, 'none'],
    ['another key', { [encryption]: 'aws:kms', [keyId]: 'arn:aws:kms:eu-west-1:999999999999:key/1' }, 'deny'],
    ['KMS and no key, by which S3 takes that of AWS', { [encryption]: 'aws:kms' }, 'deny'],
    ['the same, twice over', { [encryption]: 'aws:kms:dsse' }, 'deny'],
    ['the encryption of S3', { [encryption]: 'AES256' }, 'deny'],
    ['a key of the sender', { 's3:x-amz-server-side-encryption-customer-algorithm': 'AES256' }, 'deny'],
  ])('of who names %s with a file, the bucket says what it should', (_named, context, verdict) => {
    const [bucket = ''] = idsOf(stage, 'Bucket');
    const key = JSON.stringify({ 'Fn::GetAtt': [idsOf(stage, 'KeysBucket')[0], 'Arn'] });
    const statements = statementsOf(stage, 'AWS::S3::BucketPolicy', 'Bucket', bucket).map((statement) => ({
      ...JSON.parse(JSON.stringify(statement).replaceAll(key, '"THE KEY"')),
      Resource: '*',
    }));
    const policy = compilePolicy({ Statement: statements }, 'the bucket policy');

    const asked = evaluatePolicy(policy, {
      action: 's3:PutObject',
      resource: 'arn:aws:s3:::bucket/datasets/a.csv',
      context: { 'aws:SecureTransport': 'true', ...context },
      principal: { kind: 'role', arn: 'arn:aws:iam::123456789012:role/colleague', accountId: '123456789012' },
    });

    expect(asked).toBe(verdict);
  });

  test('a bucket of another owner keeps its own key; the one for an own bucket is not used', async () => {
    const uploadsBucket = { name: 'team-datasets' };
    const elsewhere = await stageWith({ deployment: { encryption: 'customer-managed', uploadsBucket } }, 'prod');

    const used = grantedIn(elsewhere).granted.filter(
      ({ to, action }) => (to.kind === 'role' || to.kind === 'people') && action.startsWith('kms:'),
    );
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter(({ resource }) => JSON.stringify(resource).includes('KeysBucket'))).toEqual([]);
  });
});

/** The key that a property refers to, without its hash. */
function keyOf(stage: StageTemplates, name: string, path: string): string {
  const value = at(propertiesOf(stage, name), path);
  return plainId(textAt(value, 'Fn::GetAtt.0'));
}
