import { Effect, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { linkTestName, linkTestPrefix } from '#shared/messages/link-test.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { alarmTopicName, scheduleGroupName } from '#shared/vocabulary/stack-outputs.ts';
import { grantActions, type ReasonedGrant } from '../compute/grant-actions.ts';
import type { UploadsBucket } from '../storage/uploads-bucket.ts';

/** Props of the policy. */
export interface ObjectWriterProps {
  readonly bucket: UploadsBucket;
  readonly puts: WrittenPrefixes;
  /**
   * What may be done by it, for the list of the account's policies. It never depends on the
   * configuration: CloudFormation replaces a policy whose description changes
   * (AWS::IAM::ManagedPolicy, "Update requires: Replacement"), and people would lose theirs.
   */
  readonly description: string;
}

/** The prefixes to which a policy lets people put objects; each has its slash. */
export interface WrittenPrefixes {
  readonly allowed: readonly string[];
  /** Below an allowed one, and refused all the same. */
  readonly denied: readonly string[];
  /** What follows from a put, in a few words of Markdown. */
  readonly follows: string;
}

/**
 * For people and pipelines: puts objects below prefixes, and neither reads nor lists any. Who may
 * write tests may not, by that, start runs. It lies in the stack that stays, since a policy that is
 * attached cannot be deleted.
 */
export class ObjectWriter extends ManagedPolicy {
  constructor(scope: Construct, id: string, { bucket, puts, description }: ObjectWriterProps) {
    super(scope, id, { description });
    const except = puts.denied.length === 0 ? '' : `, but for ${inWords(puts.denied)}`;
    for (const prefix of puts.allowed) {
      const why = `puts objects below \`${prefix}\`${except}, large ones in parts; ${puts.follows}`;
      bucket.grantPut(this, prefix, { isInParts: true, why });
    }
    if (puts.denied.length === 0) return;
    const resources = puts.denied.map((prefix) => bucket.arnOfObjects(prefix));
    this.addStatements(new PolicyStatement({ effect: Effect.DENY, actions: ['s3:PutObject'], resources }));
  }
}

/** Every file of a dataset, also those whose registration starts a run. Pure. */
export function anyDataset(rules: readonly ResolvedDatasetRule[]): WrittenPrefixes {
  const starting = startingRules(rules).map(({ prefix, thenStart }) => `\`${prefix}\` starts \`${thenStart}\``);
  const follows = starting.length === 0 ? 'no rule starts a run' : starting.join(', ');
  return { allowed: [datasetsPrefix], denied: [], follows };
}

/**
 * Files of datasets that start nothing. The longest prefix decides about a file, and IAM's deny
 * about all below its prefix. So a prefix that starts nothing is refused too, if it lies below one
 * that starts a run. Pure.
 */
export function quietDatasets(rules: readonly ResolvedDatasetRule[]): WrittenPrefixes {
  const starting = startingRules(rules).map(({ prefix }) => prefix);
  const quiet = rules.filter(({ thenStart }) => thenStart === undefined).map(({ prefix }) => prefix);
  const top = datasetsPrefix;
  const allowed = starting.includes(top) && quiet.length > 0 ? quiet : [top];
  const denied = starting.filter((prefix) => allowed.some((one) => prefix.startsWith(one)));
  return { allowed, denied, follows: 'starts nothing' };
}

function startingRules(rules: readonly ResolvedDatasetRule[]): readonly ResolvedDatasetRule[] {
  return rules.filter(({ thenStart }) => thenStart !== undefined);
}

function inWords(prefixes: readonly string[]): string {
  return prefixes.map((prefix) => `\`${prefix}\``).join(' and ');
}

/** Props of the policy for `doctor --deep`. */
export interface LinkTesterPolicyProps {
  readonly stage: string;
  readonly bucket: UploadsBucket;
  readonly busName: string;
}

/**
 * What `autopilot doctor --deep` needs beside the policy `Operator`: it makes a queue, a rule and a
 * schedule, and takes them away. An operator has no use for that in between, so it is a policy of
 * its own, attached beside the other (`test/integration/stage/people/link-tester.long.test.ts`).
 */
export class LinkTesterPolicy extends ManagedPolicy {
  constructor(scope: Construct, id: string, { stage, bucket, busName }: LinkTesterPolicyProps) {
    super(scope, id, {
      description: `Tests the links of Gateway Autopilot (${stage}) with autopilot doctor --deep, beside the policy Operator`,
    });
    const stack = Stack.of(this);
    const arn = (service: string, resource: string, resourceName: string) =>
      stack.formatArn({ service, resource, resourceName });
    const own = 'what a test makes is named by the time of its run, behind this beginning';
    const grants: readonly (ReasonedGrant & { readonly conditions?: Record<string, Record<string, unknown>> })[] = [
      {
        actions: ['s3:GetBucketNotification', 's3:GetBucketVersioning'],
        resourceArns: [bucket.bucketArn],
        why: 'whether the bucket announces its objects and keeps their versions',
      },
      {
        actions: ['s3:DeleteObjectVersion'],
        resourceArns: [bucket.arnOfObjects(linkTestPrefix)],
        wildcard: 'each mark is an object with an id of its own, in the folder of the marks',
        why: 'takes the mark away, and nothing outside of its folder',
      },
      {
        actions: ['sqs:CreateQueue', 'sqs:DeleteMessage', 'sqs:DeleteQueue', 'sqs:ReceiveMessage'],
        resourceArns: [stack.formatArn({ service: 'sqs', resource: `${linkTestName}*` })],
        wildcard: own,
        why: 'a queue of the test, which observes bus and topic',
      },
      {
        actions: ['sqs:ListQueues'],
        resourceArns: [stack.formatArn({ service: 'sqs', resource: '*' })],
        wildcard: 'SQS lists all queues of the account (Service Authorization Reference, Amazon SQS, ListQueues)',
        why: 'finds queues that a killed test left behind',
      },
      {
        actions: ['events:ListRules', 'events:ListTargetsByRule'],
        resourceArns: [arn('events', 'rule', `${busName}/*`)],
        wildcard: 'the rules of this bus: their names are those of CloudFormation and of a test',
        why: 'whether each rule that tells people is enabled and has its target',
      },
      {
        actions: ['events:DeleteRule', 'events:PutRule', 'events:PutTargets', 'events:RemoveTargets'],
        resourceArns: [arn('events', 'rule', `${busName}/${linkTestName}*`)],
        wildcard: own,
        why: 'a rule of the test, which feeds its queue',
      },
      {
        actions: ['sns:Subscribe'],
        resourceArns: [stack.formatArn({ service: 'sns', resource: alarmTopicName(stage) })],
        why: 'subscribes the queue of the test, and no other address',
        conditions: {
          StringEquals: { 'sns:Protocol': 'sqs' },
          StringLike: { 'sns:Endpoint': stack.formatArn({ service: 'sqs', resource: `${linkTestName}*` }) },
        },
      },
      {
        actions: ['sns:Unsubscribe'],
        resourceArns: [stack.formatArn({ service: 'sns', resource: alarmTopicName(stage) })],
        why: 'ends that subscription',
      },
      {
        actions: ['scheduler:CreateSchedule', 'scheduler:DeleteSchedule'],
        resourceArns: [arn('scheduler', 'schedule', `${scheduleGroupName(stage)}/${linkTestName}*`)],
        wildcard: own,
        why: 'a schedule of the test, a minute ahead',
      },
      {
        actions: ['iam:PassRole'],
        // CloudFormation cuts the name of the stack short in the names of roles, so the stage may
        // be cut as well.
        resourceArns: [
          stack.formatArn({ service: 'iam', region: '', resource: 'role', resourceName: 'GatewayAutopilot-*' }),
        ],
        wildcard: 'the role has a name of CloudFormation; Scheduler takes it on for schedules of its own group only',
        why: 'the schedule of the test sends as the schedules of the stage do',
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      },
    ];
    for (const grant of grants) grantActions(this, grant);
  }
}
