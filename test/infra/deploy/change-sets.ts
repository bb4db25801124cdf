/**
 * Change sets of the state's stack, in the shape that the CloudFormation API Reference gives
 * DescribeChangeSet. They are written by its pages and with the logical ids of the template; none
 * was recorded in an account.
 */
import type { DescribeChangeSetOutput, ResourceChange } from '@aws-sdk/client-cloudformation';

/** The pages of one change set, each with the token of the next. */
export type Pages = readonly Partial<DescribeChangeSetOutput>[];

/** A change set with those of its nested stacks, by ARN. */
export interface RecordedChangeSet {
  readonly name: string;
  readonly arn: string;
  readonly pages: Readonly<Record<string, Pages>>;
}

/** One that must not pass, and what is said of each resource. */
export interface HarmfulChangeSet extends RecordedChangeSet {
  readonly refusals: readonly string[];
}

type Resource = readonly [LogicalResourceId: string, ResourceType: string];

const ledger: Resource = ['LedgerB7379752', 'AWS::DynamoDB::Table'];
const commands: Resource = ['Commands361DBF70', 'AWS::SQS::Queue'];
const deadUploads: Resource = ['UploadsDeadLetters990BC9BA', 'AWS::SQS::Queue'];
const bucket: Resource = ['Bucket83908E77', 'AWS::S3::Bucket'];
const bucketPolicy: Resource = ['BucketPolicyE9A3008A', 'AWS::S3::BucketPolicy'];
const token: Resource = ['Token', 'AWS::SecretsManager::Secret'];
const bus: Resource = ['BusEA82B648', 'AWS::Events::EventBus'];
const keyOfLedger: Resource = ['KeysLedger7E0A7958', 'AWS::KMS::Key'];
const reader: Resource = ['ReaderF7BF189D', 'AWS::IAM::ManagedPolicy'];
const nested: Resource = ['Nested', 'AWS::CloudFormation::Stack'];

const arnOf = (name: string) => `arn:aws:cloudformation:eu-west-1:123456789012:changeSet/${name}/1234abcd-12ab-34cd`;

function change([LogicalResourceId, ResourceType]: Resource, what: Partial<ResourceChange>) {
  return {
    Type: 'Resource' as const,
    ResourceChange: {
      LogicalResourceId,
      ResourceType,
      ...(what.Action === 'Add' ? {} : { PhysicalResourceId: `GatewayAutopilot-prod-State-${LogicalResourceId}` }),
      Scope: [],
      Details: [],
      ...what,
    },
  };
}

/** A property that changes, and whether that makes the resource again. */
function property(
  Name: string,
  RequiresRecreation: 'Never' | 'Conditionally' | 'Always',
  Evaluation = 'Static' as const,
) {
  const ChangeSource = 'DirectModification' as const;
  return { ChangeSource, Evaluation, Target: { Attribute: 'Properties' as const, Name, RequiresRecreation } };
}

const modified = (
  resource: Resource,
  Replacement: 'True' | 'False' | 'Conditional',
  ...Details: ReturnType<typeof property>[]
) => change(resource, { Action: 'Modify', Replacement, Scope: ['Properties'], Details });

const page = (Changes: ReturnType<typeof change>[], NextToken?: string) => ({
  Status: 'CREATE_COMPLETE' as const,
  ExecutionStatus: 'AVAILABLE' as const,
  IncludeNestedStacks: true,
  Changes,
  NextToken,
});

const onePage = (name: string, ...changes: ReturnType<typeof change>[]): RecordedChangeSet => ({
  name,
  arn: arnOf('cdk-deploy-change-set'),
  pages: { [arnOf('cdk-deploy-change-set')]: [page(changes)] },
});

const withNested = (
  name: string,
  what: Partial<ResourceChange>,
  ...inner: ReturnType<typeof change>[]
): RecordedChangeSet => ({
  name,
  arn: arnOf('cdk-deploy-change-set'),
  pages: {
    [arnOf('cdk-deploy-change-set')]: [
      page([change(nested, { Action: 'Modify', Replacement: 'False', ChangeSetId: arnOf('nested'), ...what })]),
    ],
    [arnOf('nested')]: [page(inner)],
  },
});

/** What an upgrade or a changed setting does. */
export const harmless: readonly RecordedChangeSet[] = [
  onePage(
    'a first deployment',
    ...[ledger, commands, bucket, token, bus].map((each) => change(each, { Action: 'Add' })),
  ),
  onePage(
    'a tag on everything',
    ...[ledger, commands, bucket].map((each) =>
      change(each, { Action: 'Modify', Replacement: 'False', Scope: ['Tags'] }),
    ),
  ),
  onePage('a longer visibility timeout', modified(commands, 'False', property('VisibilityTimeout', 'Never'))),
  onePage('another permission of a policy for people', modified(reader, 'False', property('PolicyDocument', 'Never'))),
  onePage(
    'a queue policy that lets a bucket in',
    modified(['UploadsPolicy148F8199', 'AWS::SQS::QueuePolicy'], 'False', property('PolicyDocument', 'Never')),
  ),
  onePage(
    'keys of the account',
    change(keyOfLedger, { Action: 'Add' }),
    modified(ledger, 'False', property('SSESpecification', 'Never')),
  ),
  onePage('a metadata entry', change(token, { Action: 'Modify', Replacement: 'False', Scope: ['Metadata'] })),
  onePage('a bucket that is taken in again', change(bucket, { Action: 'Import' })),
  onePage('what a hand changed, put back', change(commands, { Action: 'SyncWithActual', Replacement: 'False' })),
  withNested(
    'a nested stack whose queue gets another limit',
    {},
    modified(commands, 'False', property('MessageRetentionPeriod', 'Never')),
  ),
];

const refused = (set: RecordedChangeSet, ...refusals: string[]): HarmfulChangeSet => ({ ...set, refusals });

/** What loses data, or may. */
export const harmful: readonly HarmfulChangeSet[] = [
  refused(
    onePage(
      'a ledger with another key',
      modified(ledger, 'True', property('KeySchema', 'Always'), property('TimeToLiveSpecification', 'Never')),
    ),
    'LedgerB7379752 (AWS::DynamoDB::Table) is replaced, by a change of KeySchema',
  ),
  refused(
    onePage('no ledger', change(ledger, { Action: 'Remove' })),
    'LedgerB7379752 (AWS::DynamoDB::Table) is removed',
  ),
  refused(
    onePage(
      'another bucket',
      change(bucket, { Action: 'Remove', PolicyAction: 'Retain' }),
      change(bucketPolicy, { Action: 'Remove', PolicyAction: 'Retain' }),
      modified(['UploadsPolicy148F8199', 'AWS::SQS::QueuePolicy'], 'False', property('PolicyDocument', 'Never')),
    ),
    'Bucket83908E77 (AWS::S3::Bucket) leaves the stack and stays in the account',
    'BucketPolicyE9A3008A (AWS::S3::BucketPolicy) leaves the stack and stays in the account',
  ),
  refused(
    onePage('a queue with a name', modified(commands, 'True', property('QueueName', 'Always'))),
    'Commands361DBF70 (AWS::SQS::Queue) is replaced, by a change of QueueName',
  ),
  refused(
    onePage(
      'a queue that may be made again',
      modified(deadUploads, 'Conditional', property('FifoQueue', 'Conditionally')),
    ),
    'UploadsDeadLetters990BC9BA (AWS::SQS::Queue) may be replaced, by a change of FifoQueue',
  ),
  refused(
    onePage(
      'a secret that is replaced, the old one kept',
      change(token, {
        Action: 'Modify',
        Replacement: 'True',
        PolicyAction: 'ReplaceAndRetain',
        Details: [property('Name', 'Always')],
      }),
    ),
    'Token (AWS::SecretsManager::Secret) is replaced, by a change of Name',
  ),
  refused(
    onePage(
      'a bus with another name',
      change(ledger, { Action: 'Modify', Replacement: 'False', Scope: ['Tags'] }),
      modified(bus, 'True', property('Name', 'Always')),
    ),
    'BusEA82B648 (AWS::Events::EventBus) is replaced, by a change of Name',
  ),
  refused(
    onePage(
      'no keys any more',
      change(keyOfLedger, { Action: 'Remove', PolicyAction: 'Delete' }),
      change(token, { Action: 'Dynamic' }),
    ),
    'KeysLedger7E0A7958 (AWS::KMS::Key) is removed',
    'Token (AWS::SecretsManager::Secret) may be replaced or removed: CloudFormation cannot say before it deploys',
  ),
  refused(
    {
      ...onePage('a loss on the last of three pages'),
      pages: {
        [arnOf('cdk-deploy-change-set')]: [
          page([modified(commands, 'False', property('VisibilityTimeout', 'Never'))], 'page-2'),
          page([], 'page-3'),
          page([change(deadUploads, { Action: 'Remove' })]),
        ],
      },
    },
    'UploadsDeadLetters990BC9BA (AWS::SQS::Queue) is removed',
  ),
  refused(
    withNested('a loss in a nested stack', {}, modified(commands, 'False'), change(ledger, { Action: 'Remove' })),
    'Nested/LedgerB7379752 (AWS::DynamoDB::Table) is removed',
  ),
  refused(
    withNested('a nested stack that says nothing', { ChangeSetId: undefined }),
    'Nested (AWS::CloudFormation::Stack) may lose anything: the change set does not hold what changes in it',
  ),
];
