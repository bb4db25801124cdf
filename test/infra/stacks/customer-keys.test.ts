import { beforeAll, describe, expect, test } from 'vitest';
import { plainId } from '../security/words.ts';
import { at, listOf, ofType, type StageTemplates, textAt } from '../template.ts';
import { stageWith } from './stage-with.ts';
import { idsOf, propertiesOf, refusals } from './state-of.ts';

describe('with keys of the account', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await stageWith({ deployment: { encryption: 'customer-managed' } }, 'prod');
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
    const encryption = 'BucketEncryption.ServerSideEncryptionConfiguration.0';
    expect(keyOf(stage, 'Bucket', `${encryption}.ServerSideEncryptionByDefault.KMSMasterKeyID`)).toBe('KeysBucket');
    expect(at(propertiesOf(stage, 'Bucket'), `${encryption}.BucketKeyEnabled`)).toBe(true);
  });

  test('S3 may use the key of the queues, and no service another one', () => {
    const opened = ofType(stage.state, 'AWS::KMS::Key').flatMap(([id, { Properties }]) =>
      listOf(at(Properties, 'KeyPolicy.Statement'))
        .filter((statement) => at(statement, 'Principal.Service') !== undefined)
        .map((statement) => [plainId(id), at(statement, 'Principal.Service'), at(statement, 'Action')]),
    );
    expect(opened).toEqual([['KeysQueues', 's3.amazonaws.com', ['kms:Decrypt', 'kms:GenerateDataKey']]]);
  });

  test('every role that touches data may use its key, through its service only', () => {
    expect(keyUses(stage)).toEqual({
      UpdateCampaignRunsFunctionRole: ['Ledger dynamodb', 'Queues sqs', 'Token secretsmanager'],
      RegisterDatasetsFunctionRole: ['Bucket s3', 'Ledger dynamodb', 'Queues sqs', 'Token secretsmanager'],
      SendRunPlansFunctionRole: ['Bucket s3', 'Ledger dynamodb', 'Queues sqs'],
      PollScannerPackagesFunctionRole: ['Ledger dynamodb', 'Queues sqs', 'Token secretsmanager'],
      ParkDeadLettersFunctionRole: ['Ledger dynamodb', 'Queues sqs'],
      ReconcileLedgerFunctionRole: ['Ledger dynamodb', 'Queues sqs'],
      WatchCampaignsFunctionRole: ['Ledger dynamodb', 'Queues sqs', 'Token secretsmanager'],
      WatchProjectsFunctionRole: ['Ledger dynamodb', 'Queues sqs', 'Token secretsmanager'],
      SchedulesCommandsRole: ['Queues sqs'],
      DatasetsWriter: ['Bucket s3'],
      RunPlansWriter: ['Bucket s3'],
    });
  });

  test('a file is refused that names another key, or none', () => {
    const [key = ''] = idsOf(stage, 'KeysBucket');
    expect(refusals(stage)).toMatchObject({
      NoOtherKey: {
        Null: { 's3:x-amz-server-side-encryption-aws-kms-key-id': 'false' },
        StringNotEquals: { 's3:x-amz-server-side-encryption-aws-kms-key-id': { 'Fn::GetAtt': [key, 'Arn'] } },
      },
      NotWithoutTheKey: { StringEquals: { 's3:x-amz-server-side-encryption': 'AES256' } },
    });
  });

  test('a bucket of somebody else keeps its own key', async () => {
    const uploadsBucket = { name: 'team-datasets' };
    const { state } = await stageWith({ deployment: { encryption: 'customer-managed', uploadsBucket } }, 'prod');

    expect(ofType(state, 'AWS::KMS::Key').map(([id]) => plainId(id))).toEqual([
      'KeysLedger',
      'KeysToken',
      'KeysQueues',
    ]);
  });
});

/** The key that a property refers to, without its hash. */
function keyOf(stage: StageTemplates, name: string, path: string): string {
  const value = at(propertiesOf(stage, name), path);
  return plainId(textAt(value, 'Fn::GetAtt.0'));
}

/** Which key each role or policy may use, and through which service. */
function keyUses(stage: StageTemplates): Record<string, string[]> {
  const uses = new Map<string, Set<string>>();
  for (const stack of [stage.workers, stage.state]) {
    for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']) {
      for (const [id, { Properties }] of ofType(stack, type)) {
        for (const statement of listOf(at(Properties, 'PolicyDocument.Statement'))) {
          if (!JSON.stringify(at(statement, 'Action')).includes('kms:')) continue;
          const key = /Keys([A-Za-z]+?)[0-9A-F]{8}/.exec(JSON.stringify(at(statement, 'Resource')))?.[1] ?? 'other';
          const service = textAt(at(statement, 'Condition.StringEquals.kms:ViaService'), 'Fn::Join.1.0').split('.')[0];
          const who = plainId(id).replace(/DefaultPolicy$/, '');
          uses.set(who, (uses.get(who) ?? new Set()).add(`${key} ${service}`));
        }
      }
    }
  }
  return Object.fromEntries([...uses].map(([who, keys]) => [who, [...keys].toSorted()]));
}
