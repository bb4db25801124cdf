import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { ArnFormat, type Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import {
  deployedFunctionName,
  type FunctionName,
  functionNames,
  datasetsPrefix,
} from '#shared/vocabulary/resource-names.ts';
import { alarmTopicName, scheduleGroupName, stackNames } from '#shared/vocabulary/stack-outputs.ts';
import { grantActions } from '../grant-actions.ts';
import { grantReadDepth, grantSend } from '../worker-queue.ts';
import type { LedgerTable } from '../storage/ledger-table.ts';
import type { TokenSecret } from '../storage/token-secret.ts';
import type { UploadsBucket } from '../storage/uploads-bucket.ts';

/** Props of the policies for people who use `autopilot`. */
export interface CommandPolicyProps {
  readonly stage: string;
  /** Those of both modes. */
  readonly ledgers: readonly LedgerTable[];
  readonly bucket: UploadsBucket;
  readonly token: TokenSecret;
  /** Those that take messages of operators. */
  readonly queues: readonly IQueue[];
  readonly deadLetterQueues: readonly IQueue[];
}

/**
 * For people who may look: every command of `autopilot` that changes nothing, and not an action
 * more (`test/integration/stage/people/people.long.test.ts`). It invokes the one function that may
 * change nothing, so that a forged event reaches no other. It lies in the stack that stays, since
 * an attached policy cannot be deleted. So it knows functions and topic by their fixed names.
 */
export class ReaderPolicy extends ManagedPolicy {
  constructor(scope: Construct, id: string, props: CommandPolicyProps) {
    super(scope, id, {
      description: `Looks at Gateway Autopilot (${props.stage}) with the command autopilot; changes nothing`,
    });
    grantLooking(this, props);
    grantInvoke(this, {
      stage: props.stage,
      names: ['answer-questions'],
      why: 'asks what the stage knows and what it would do: plan, status, doctor, token check',
    });
  }
}

/**
 * For people who run the stage: every command of `autopilot`, and not an action more. With it a
 * person may override every guard and take any name: docs/security.md says what that comes to.
 */
export class OperatorPolicy extends ManagedPolicy {
  constructor(scope: Construct, id: string, props: CommandPolicyProps) {
    super(scope, id, {
      description: `Runs Gateway Autopilot (${props.stage}) with the command autopilot: starts, stops, switches, token`,
    });
    const { stage, ledgers, bucket, token, queues } = props;
    grantLooking(this, props);
    grantInvoke(this, {
      stage,
      names: functionNames,
      why: 'doctor has each function look at what it depends on; fire calls what a schedule calls',
    });
    const decided = ['run', 'switch', 'past-switch', 'command', 'upload', 'message', 'finding', 'handle'] as const;
    for (const ledger of ledgers) ledger.grantWrite(this, decided, 'bind, freeze, thaw, pause, resume, parked resolve');
    for (const queue of queues) grantSend(queue, this, 'send, fire, stop, and what parked resolve sends again');
    bucket.grantPut(this, datasetsPrefix, { isInParts: false, why: `upload, below \`${datasetsPrefix}\`` });
    token.grantReplace(this, 'token set; the token in use is not read');
  }
}

/** The rows that a command shows. */
const shown = [
  'command',
  'run',
  'run-id',
  'target',
  'confirmation',
  'finding',
  'run-ends',
  'changes',
  'upload',
  'message',
  'handle',
  'switch',
  'past-switch',
  'gate',
  'recent',
  'reconcile',
  'link-test',
] as const;

/** What every command needs that looks. */
function grantLooking(people: ManagedPolicy, props: CommandPolicyProps): void {
  const { stage, ledgers, bucket, queues, deadLetterQueues } = props;
  grantDescribe(people, stage);
  for (const ledger of ledgers) {
    ledger.grantRead(people, shown, 'status, show, history, evidence, scores, parked: rows by their keys');
    ledger.grantListOpen(people, 'status, parked: what is open');
    ledger.grantFindDataset(people, 'show: the upload that a dataset was made of');
  }
  bucket.grantListVersions(people, 'show: the versions of a file; their content is not read');
  bucket.grantListTop(people, 'doctor: what was put outside of the prefix');
  for (const queue of [...queues, ...deadLetterQueues]) {
    grantReadDepth(queue, people, 'status, doctor: how much waits');
  }
}

/** What was deployed: CloudFormation, Scheduler, Lambda, SNS. */
function grantDescribe(people: ManagedPolicy, stage: string): void {
  const { stack } = people;
  const names = stackNames(stage);
  const stackArn = (name: string) =>
    stack.formatArn({ service: 'cloudformation', resource: 'stack', resourceName: `${name}/*` });
  const allow = (
    action: string,
    resourceArns: readonly string[],
    about: Omit<Parameters<typeof grantActions>[1], 'actions' | 'resourceArns'>,
  ) => grantActions(people, { actions: [action], resourceArns, ...about });

  const stackId = 'a stack has an id of its own behind its name';
  allow('cloudformation:DescribeStacks', [stackArn(names.state), stackArn(names.workers)], {
    why: 'every command finds the stage by the outputs of its stacks',
    wildcard: stackId,
  });
  allow('cloudformation:ListStackResources', [stackArn(names.workers)], {
    why: 'doctor: which functions, mappings and schedules were deployed',
    wildcard: stackId,
  });
  allow(
    'scheduler:GetSchedule',
    [stack.formatArn({ service: 'scheduler', resource: 'schedule', resourceName: `${scheduleGroupName(stage)}/*` })],
    {
      why: 'status, plan, fire: when a schedule fires and what it sends',
      wildcard: 'the group of this stage, with schedules of any name',
    },
  );
  allow(
    'scheduler:ListSchedules',
    [stack.formatArn({ service: 'scheduler', resource: 'schedule', resourceName: '*/*' })],
    {
      why: 'status, plan: which schedules there are',
      wildcard:
        'Scheduler asks for every group, also if one group is listed (https://github.com/aws/aws-cdk/issues/38201)',
    },
  );
  allow(
    'lambda:GetEventSourceMapping',
    [
      stack.formatArn({
        service: 'lambda',
        resource: 'event-source-mapping',
        resourceName: '*',
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    ],
    {
      why: 'doctor: whether each queue feeds its function',
      wildcard: 'a mapping has no name, and its id is known when it is deployed; the condition names the functions',
      conditions: { ArnEquals: { 'lambda:FunctionArn': fedByQueues.map((name) => functionArn(stack, stage, name)) } },
    },
  );
  allow('sns:ListSubscriptionsByTopic', [stack.formatArn({ service: 'sns', resource: alarmTopicName(stage) })], {
    why: 'doctor: who hears of alarms',
  });
}

/** The functions that queues feed. */
const fedByQueues: readonly FunctionName[] = ['update-campaign-runs', 'register-datasets', 'park-dead-letters'];

function grantInvoke(
  people: ManagedPolicy,
  { stage, names, why }: { readonly stage: string; readonly names: readonly FunctionName[]; readonly why: string },
): void {
  const resourceArns = names.map((name) => functionArn(people.stack, stage, name));
  grantActions(people, { actions: ['lambda:InvokeFunction'], resourceArns, why });
}

function functionArn(stack: Stack, stage: string, name: FunctionName): string {
  return stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: deployedFunctionName(stage, name),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
