import { expect } from 'vitest';
import {
  at,
  type Json,
  listOf,
  ofType,
  type Resource,
  roleStatements,
  type StageTemplates,
  textAt,
} from '../template.ts';
import { caBundle, type Changes } from './stage-with.ts';

/** One setting of a network or an account. */
export interface Option {
  readonly changes: Changes;
  /** What it changes, by type (`Type property`); nothing else may differ. */
  readonly touches: readonly string[];
  /** Whether a stage has it, with whatever else it has. */
  readonly shows: (stage: StageTemplates) => void;
}

const vpc = { subnetIds: ['subnet-0a1b2c3d', 'subnet-0a1b2c3e'], securityGroupIds: ['sg-0a1b2c3d'] };
const permissionsBoundary = 'arn:aws:iam::123456789012:policy/team-boundary';
const uploadsBucket = { name: 'team-datasets', keyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd' };
const tags = { team: 'ML security', 'cost-centre': '4711' };

/** Each setting of docs/deploying.md. */
export const options: Readonly<Record<string, Option>> = {
  caBundle: { changes: { gateway: { caBundle } }, touches: ['AWS::Lambda::Function Code'], shows: () => {} },
  proxy: {
    changes: { gateway: { proxy: 'http://proxy.example.com:3128' } },
    touches: ['AWS::Lambda::Function Code'],
    shows: () => {},
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
    shows({ state }) {
      for (const [property, type] of [
        ['KmsMasterKeyId', 'AWS::SQS::Queue'],
        ['KmsKeyId', 'AWS::SecretsManager::Secret'],
        ['SSESpecification.KMSMasterKeyId', 'AWS::DynamoDB::Table'],
      ] as const) {
        for (const [id, { Properties }] of ofType(state, type)) {
          expect(JSON.stringify(at(Properties, property)), id).toContain('Keys');
        }
      }
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

/**
 * What Lambda needs of a role to put its function into subnets, all of it: the policy
 * `AWSLambdaVPCAccessExecutionRole` of AWS without its logs
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html, "Required IAM
 * permissions"). None of it can be met on one machine.
 */
const interfaceActions: readonly string[] = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

function showsVpc({ workers }: StageTemplates): void {
  const functions = ofType(workers, 'AWS::Lambda::Function');
  expect(functions.length).toBeGreaterThan(0);
  for (const [id, { Properties }] of functions) {
    expect(Properties['VpcConfig'], id).toEqual({ SubnetIds: vpc.subnetIds, SecurityGroupIds: vpc.securityGroupIds });
  }
  const wild = roleStatements(workers).filter(({ resources }) => resources.includes('*'));
  expect(wild.map(({ role }) => role).toSorted()).toEqual(
    functions.map(([, { Properties }]) => textAt(Properties, 'Role.Fn::GetAtt.0')).toSorted(),
  );
  for (const { role, actions } of wild) expect(actions.toSorted(), role).toEqual(interfaceActions.toSorted());
  // Lambda's own calls lack the key, those of the function's code have it.
  expect(conditionsOf(workers.resources, 'Action', 'ec2:CreateNetworkInterface')).toEqual(
    wild.map(() => ({ Null: { 'lambda:SourceFunctionArn': 'true' } })),
  );
}

function showsUploadsBucket({ state, workers }: StageTemplates): void {
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

  const decrypting = roleStatements(workers).filter(({ resources }) => resources.includes(uploadsBucket.keyArn));
  expect(
    decrypting.map(({ role, actions }) => `${role.replace(/FunctionRole.*/, '')} ${actions.join()}`).toSorted(),
  ).toEqual(['RegisterDatasets kms:Decrypt']);
  const throughS3: unknown = { StringEquals: { 'kms:ViaService': expect.anything() } };
  expect(conditionsOf(workers.resources, 'Resource', uploadsBucket.keyArn)).toEqual([throughS3]);
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

/** The conditions of every statement of a role with this action or resource. */
function conditionsOf(
  resources: StageTemplates['state']['resources'],
  property: 'Action' | 'Resource',
  value: string,
): (Json | undefined)[] {
  return Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::IAM::Policy')
    .flatMap(({ Properties }) => listOf(at(Properties, 'PolicyDocument.Statement')))
    .filter((statement) => listOf(at(statement, property)).includes(value))
    .map((statement) => at(statement, 'Condition'));
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
