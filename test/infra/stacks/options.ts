import { expect } from 'vitest';
import { at, type Json, listOf, ofType, type Resource, type StageTemplates, textAt } from '../template.ts';
import { caBundle, type Changes } from './stage-with.ts';

/** One setting of a network or an account. */
export interface Option {
  readonly changes: Changes;
  /** What it changes, by type (`Type property`); nothing else may differ. */
  readonly touches: readonly string[];
  /** Whether a stage has it, with whatever else it has; what it lets a role do stands in docs/security.md. */
  readonly shows?: (stage: StageTemplates) => void;
}

const vpc = { subnetIds: ['subnet-0a1b2c3d', 'subnet-0a1b2c3e'], securityGroupIds: ['sg-0a1b2c3d'] };
const permissionsBoundary = 'arn:aws:iam::123456789012:policy/team-boundary';
const uploadsBucket = { name: 'team-datasets', keyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd' };
const tags = { team: 'ML security', 'cost-centre': '4711' };

/** Each setting of docs/deploying.md. */
export const options: Readonly<Record<string, Option>> = {
  caBundle: { changes: { gateway: { caBundle } }, touches: ['AWS::Lambda::Function Code'] },
  proxy: {
    changes: { gateway: { proxy: 'http://proxy.example.com:3128' } },
    touches: ['AWS::Lambda::Function Code'],
  },
  vpc: {
    changes: { deployment: { vpc } },
    touches: ['AWS::IAM::Policy PolicyDocument', 'AWS::Lambda::Function VpcConfig'],
    shows: showsVpc,
  },
  permissionsBoundary: {
    changes: { deployment: { permissionsBoundary } },
    touches: ['AWS::IAM::Role PermissionsBoundary'],
    shows({ state, workers }) {
      const roles = [...ofType(state, 'AWS::IAM::Role'), ...ofType(workers, 'AWS::IAM::Role')];
      expect(roles.length).toBeGreaterThan(0);
      for (const [id, { Properties }] of roles) expect(Properties['PermissionsBoundary'], id).toBe(permissionsBoundary);
    },
  },
  uploadsBucket: {
    changes: { deployment: { uploadsBucket } },
    touches: [
      'AWS::IAM::ManagedPolicy PolicyDocument',
      'AWS::IAM::Policy PolicyDocument',
      'AWS::Lambda::Function Environment',
      'AWS::S3::Bucket',
      'AWS::S3::BucketPolicy',
      'AWS::SQS::QueuePolicy PolicyDocument',
    ],
    shows: showsUploadsBucket,
  },
  eventArchiveDays: {
    changes: { deployment: { eventArchiveDays: 400 } },
    touches: ['AWS::Events::Archive'],
    shows({ state }) {
      const archives = ofType(state, 'AWS::Events::Archive');
      expect(archives.map(([, { Properties, DeletionPolicy }]) => [Properties, DeletionPolicy])).toEqual([
        [
          { SourceArn: { 'Fn::GetAtt': [expect.stringMatching(/^Bus/), 'Arn'] }, RetentionDays: 400 },
          'RetainExceptOnCreate',
        ],
      ]);
    },
  },
  encryption: {
    changes: { deployment: { encryption: 'customer-managed' } },
    touches: [
      'AWS::DynamoDB::Table SSESpecification',
      'AWS::IAM::ManagedPolicy PolicyDocument',
      'AWS::IAM::Policy PolicyDocument',
      'AWS::KMS::Key',
      'AWS::S3::Bucket BucketEncryption',
      'AWS::S3::BucketPolicy PolicyDocument',
      'AWS::SQS::Queue KmsMasterKeyId',
      'AWS::SQS::Queue SqsManagedSseEnabled',
      'AWS::SecretsManager::Secret KmsKeyId',
    ],
  },
  assets: {
    changes: { deployment: { assets: { bucket: 'team-assets', prefix: 'gateway-autopilot/' } } },
    touches: ['AWS::Lambda::Function Code'],
    shows({ workers, state }) {
      const codes = ofType(workers, 'AWS::Lambda::Function').map(([, { Properties }]) =>
        at(Properties, 'Code.S3Bucket'),
      );
      expect(new Set(codes)).toEqual(new Set(['team-assets']));
      // What the bootstrap adds to a template.
      expect(JSON.stringify([state.normalised, workers.normalised])).not.toContain('BootstrapVersion');
    },
  },
  tags: {
    changes: { deployment: { tags } },
    touches: [],
    shows: showsTags,
  },
};

/** All of them in one document. */
export const allOptions: Changes = Object.values(options).reduce<Changes>(
  (all, { changes }) => ({
    gateway: { ...all.gateway, ...changes.gateway },
    deployment: { ...all.deployment, ...changes.deployment },
  }),
  {},
);

function showsVpc({ workers }: StageTemplates): void {
  const functions = ofType(workers, 'AWS::Lambda::Function');
  expect(functions.length).toBeGreaterThan(0);
  for (const [id, { Properties }] of functions) {
    expect(Properties['VpcConfig'], id).toEqual({ SubnetIds: vpc.subnetIds, SecurityGroupIds: vpc.securityGroupIds });
  }
}

function showsUploadsBucket({ state }: StageTemplates): void {
  const bucketArn = { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:s3:::${uploadsBucket.name}`]] };
  expect(ofType(state, 'AWS::S3::Bucket')).toEqual([]);
  expect(state.outputs['BucketName']?.Value).toBe(uploadsBucket.name);

  const sources = ofType(state, 'AWS::SQS::QueuePolicy')
    .flatMap(([, { Properties }]) => listOf(at(Properties, 'PolicyDocument.Statement')))
    .filter((statement) => textAt(statement, 'Principal.Service') === 's3.amazonaws.com')
    .map((statement) => at(statement, 'Condition.ArnEquals.aws:SourceArn'));
  expect(sources).toEqual([bucketArn]);

  const wanted = JSON.parse(resolved(state.outputs['BucketNotifications']?.Value));
  expect(wanted.QueueConfigurations).toEqual([
    {
      Id: 'gateway-autopilot-datasets',
      QueueArn: 'Uploads4F6EB0FD.Arn',
      Events: ['s3:ObjectCreated:*'],
      Filter: { Key: { FilterRules: [{ Name: 'prefix', Value: 'datasets/' }] } },
    },
  ]);
}

/** Kinds of resources that take no tags, or that CloudFormation tags in no way. */
const untagged = new Set([
  'AWS::CloudWatch::Dashboard',
  'AWS::Events::Archive',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::Logs::QueryDefinition',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::Schedule',
  'AWS::SecretsManager::ResourcePolicy',
]);

function showsTags({ state, workers }: StageTemplates): void {
  const wanted = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  for (const [id, resource] of Object.entries({ ...state.resources, ...workers.resources })) {
    if (untagged.has(resource.Type)) continue;
    expect(listOf(resource.Properties['Tags']), `${id}, ${resource.Type}`).toEqual(expect.arrayContaining(wanted));
  }
}

/** A text with its references as `ID.Attribute`. */
function resolved(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  const joined = at(value, 'Fn::Join.1');
  if (joined !== undefined) return listOf(joined).map(resolved).join('');
  return `${textAt(value, 'Fn::GetAtt.0')}.${textAt(value, 'Fn::GetAtt.1')}`;
}

/** What differs, as `Type property`, or the type alone of what is there in one of two only. */
export function touched(before: StageTemplates, after: StageTemplates): string[] {
  const [old, young] = [before, after].map(({ state, workers }) => ({ ...state.resources, ...workers.resources }));
  const kinds = Object.keys({ ...old, ...young }).flatMap((id) => differences(old?.[id], young?.[id]));
  return [...new Set(kinds)].toSorted();
}

function differences(old: Resource | undefined, young: Resource | undefined): string[] {
  if (old === undefined || young === undefined) return [old?.Type ?? young?.Type ?? ''];
  const names = Object.keys({ ...old.Properties, ...young.Properties });
  return names
    .filter((name) => JSON.stringify(old.Properties[name]) !== JSON.stringify(young.Properties[name]))
    .map((name) => `${old.Type} ${name}`);
}
