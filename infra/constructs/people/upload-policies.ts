import { Effect, ManagedPolicy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { linkTestName, linkTestPrefix } from '#shared/messages/link-test.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { scheduleGroupName } from '#shared/vocabulary/stack-outputs.ts';
import { grantActions } from '../grant-actions.ts';
import { schedulerRole } from '../compute/stage-schedules.ts';
import { grantSend } from '../worker-queue.ts';
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
  readonly commands: IQueue;
}

/**
 * What `autopilot doctor --deep` needs beside the policy `Operator`: it makes a schedule and takes an object away. An operator has no use
 * for that in between, so it is a policy of its own, attached beside the other. Alone it can have marks sent, which do nothing
 * (`test/infra/security/link-tester.test.ts`).
 */
export class LinkTesterPolicy extends ManagedPolicy {
  /** Scheduler sends the mark under it. The table of senders knows it: what it sends is a mark, or is parked. */
  readonly linkTestsRole: Role;

  constructor(scope: Construct, id: string, { stage, bucket, commands }: LinkTesterPolicyProps) {
    super(scope, id, {
      description: `Tests the links of Gateway Autopilot (${stage}) with autopilot doctor --deep, beside the policy Operator`,
    });
    this.linkTestsRole = schedulerRole(this, 'Role', { stage, what: 'sends marks of autopilot doctor --deep' });
    grantSend(commands, this.linkTestsRole, 'marks of `autopilot doctor --deep`; all else that it sends is parked');
    // Resource types and condition keys: Service Authorization Reference (Amazon S3, EventBridge Scheduler, IAM).
    const grants: readonly Parameters<typeof grantActions>[1][] = [
      {
        actions: ['s3:GetBucketNotification'],
        resourceArns: [bucket.bucketArn],
        why: 'whether the bucket announces its objects',
      },
      {
        actions: ['s3:DeleteObjectVersion'],
        resourceArns: [bucket.arnOfObjects(linkTestPrefix)],
        wildcard: 'each mark is an object with an id of its own, in the folder of the marks',
        why: 'takes the mark away, and nothing outside of its folder',
      },
      {
        actions: ['scheduler:CreateSchedule'],
        resourceArns: [
          Stack.of(this).formatArn({
            service: 'scheduler',
            resource: 'schedule',
            resourceName: `${scheduleGroupName(stage)}/${linkTestName}*`,
          }),
        ],
        wildcard: 'each schedule of a test has an id of its own, behind this beginning',
        why: 'a schedule of the test, a minute ahead, which goes when it has fired',
      },
      {
        actions: ['iam:PassRole'],
        resourceArns: [this.linkTestsRole.roleArn],
        why: 'the schedule of the test sends under this role, and no other',
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      },
    ];
    for (const grant of grants) grantActions(this, grant);
  }
}
