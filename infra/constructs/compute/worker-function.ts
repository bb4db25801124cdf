import { type IGrantable, type IPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnFunction,
  Code,
  EventSourceMapping,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Deployment } from '#shared/config/deployment.ts';
import type { commonVariables, FunctionEnvironment } from '#shared/config/env-contract.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { deployedFunctionName, type FunctionName } from '#shared/vocabulary/resource-names.ts';
import type { AssetDirectories } from '../../bundle/write-assets.ts';
import type { StageNumbers } from '../../config/stage-numbers.ts';
import {
  type AlarmTopic,
  type Monitored,
  type Monitoring,
  oneIsEnough,
  RunbookAlarm,
  twoOfThree,
} from '../monitoring/runbook-alarm.ts';
import { type DashboardGraph, graphPeriod } from '../monitoring/stage-dashboard.ts';
import { grantActions } from './grant-actions.ts';
import { grantConsume } from './worker-queue.ts';
import { type TickWatch, tickWatch } from './stage-schedules.ts';

/** What the functions of a stage have in common. */
export interface FunctionSurroundings {
  readonly stage: string;
  readonly numbers: StageNumbers;
  /** Each function's folder, with its bundle and its `config.json`. */
  readonly assets: AssetDirectories;
  /** The subnets that they run in. @default no VPC */
  readonly vpc?: Deployment['vpc'];
  /** Where alarms ring. */
  readonly alarms: AlarmTopic;
}

/** Props of a deployed function. */
export interface WorkerFunctionProps<Name extends FunctionName> {
  readonly name: Name;
  readonly surroundings: FunctionSurroundings;
  /** Lambda gives processor time by it. */
  readonly memoryMb: number;
  /** Exactly the variables of its contract; those of every function come by themselves. */
  readonly environment: Omit<FunctionEnvironment<Name>, (typeof commonVariables)[number]>;
  /**
   * What it means when it fails: an error, a timeout, too little memory. What a worker cannot do it
   * says in its answer, so each of them is abnormal.
   */
  readonly monitoring: Monitoring;
  /** How often a schedule calls it. @default a queue calls it */
  readonly calledEvery?: Duration | undefined;
}

/** How a queue feeds a function. */
export interface QueueMapping {
  readonly queue: IQueue;
  readonly batchSize: number;
  /** Environments at once, AWS takes 2 to 1000. */
  readonly maxConcurrency: number;
}

/** Long enough to look into last quarter's trouble; the ledger keeps outcomes for 400 days. */
const logRetention = RetentionDays.THREE_MONTHS;

/**
 * A function with a role and a log group of its own. The role begins with one permission, to write
 * to that log group; each connection of the function grants its own.
 */
export class WorkerFunction<Name extends FunctionName> extends Construct implements IGrantable {
  readonly grantPrincipal: IPrincipal;
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;
  /** For its worker's row of the dashboard: does it fail, and is it slow? */
  readonly graph: DashboardGraph;

  constructor(scope: Construct, id: string, props: WorkerFunctionProps<Name>) {
    super(scope, id);
    const { stage, numbers, assets, vpc } = props.surroundings;
    const description = `${props.name} of Gateway Autopilot (${stage})`;
    const logGroup = new LogGroup(this, 'Logs', { retention: logRetention, removalPolicy: RemovalPolicy.DESTROY });
    this.logGroup = logGroup;
    const role = new Role(this, 'Role', {
      // Lambda documents no source for taking on a role. iam:PassRole, which ends at the account, says who may hand it to a function.
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description,
    });
    this.grantPrincipal = role;
    grantActions(role, {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resourceArns: [logGroup.logGroupArn], // the ARN ends in :*, which is its streams
      why: 'its own log',
    });
    this.function = new LambdaFunction(this, 'Default', {
      functionName: deployedFunctionName(stage, props.name),
      description,
      architecture: Architecture.ARM_64,
      runtime: Runtime.NODEJS_24_X,
      handler: 'handler.handler',
      code: Code.fromAsset(assets[props.name]),
      timeout: Duration.seconds(numbers.timeoutSeconds[props.name]),
      memorySize: props.memoryMb,
      // Without --enable-source-maps: each cold start would read the map, 58 ms of it
      // (docs/reference/performance.md). It lies beside the bundle for people.
      environment: {
        ...props.environment,
        STAGE: stage,
        AUTOPILOT_VERSION: productVersion,
      },
      role,
      logGroup,
    });
    this.graph = graphOf(props.name, this.function, numbers.timeoutSeconds[props.name]);
    this.explainFindings();
    if (vpc !== undefined) attachToVpc(this.function, role, vpc);
    if (!('none' in props.monitoring)) this.ringOnFailures(props, props.monitoring);
  }

  /**
   * Lets a queue feed this function: only failed records of a batch go back, at most
   * `maxConcurrency` batches run at once.
   */
  consume(id: string, { queue, batchSize, maxConcurrency }: QueueMapping): void {
    grantConsume(queue, this);
    const mapping = new EventSourceMapping(this, id, {
      target: this.function,
      eventSourceArn: queue.queueArn,
      batchSize,
      maxBatchingWindow: Duration.seconds(0),
      maxConcurrency,
      reportBatchItemFailures: true,
    });
    Validations.of(mapping).acknowledge({
      id: 'Serverless::Serverless-LambdaEventSourceMappingDestination',
      reason: 'Lambda takes destinations of mappings for streams only: a queue has its redrive policy',
    });
  }

  /**
   * Leaves a failed or late tick to the next one. Lambda would repeat a failed tick twice beside
   * it, and keep a throttled one for six hours (AWS::Lambda::EventInvokeConfig, CloudFormation User
   * Guide).
   */
  retryByNextTick(): void {
    this.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.seconds(60) }); // the shortest that Lambda takes
    Validations.of(this.function).acknowledge({
      id: 'Serverless::Serverless-LambdaAsyncFailureDestination',
      reason: 'a tick that failed is done again by the next one; two in a row ring the alarm of the function',
    });
  }

  private explainFindings(): void {
    Validations.of(this.function).acknowledge(
      {
        id: 'Serverless::Serverless-LambdaDLQ',
        reason: 'no work is in the invocation: a message goes back to its queue, a tick is followed by the next',
      },
      {
        id: 'Serverless::Serverless-LambdaTracing',
        reason:
          'a trace would hold the times of the function alone, which its metrics have; X-Ray would be the one permission on every resource',
      },
    );
  }

  private ringOnFailures({ surroundings, calledEvery }: WorkerFunctionProps<Name>, monitored: Monitored): void {
    const { period, failures } = calledEvery === undefined ? queueWatch(monitored) : tickWatch(calledEvery);
    new RunbookAlarm(this, 'Failures', {
      ...monitored,
      topic: surroundings.alarms,
      metric: this.function.metricErrors({ statistic: 'Sum', period }),
      rings: { atLeast: 1 },
      periods: failures,
    });
  }
}

function graphOf(name: FunctionName, lambdaFunction: LambdaFunction, timeoutSeconds: number): DashboardGraph {
  const period = graphPeriod;
  return {
    title: `Does ${name} fail, is it slow?`,
    lines: [lambdaFunction.metricErrors({ statistic: 'Sum', period, label: 'errors' })],
    linesOnTheRight: [lambdaFunction.metricDuration({ statistic: 'Maximum', period, label: 'slowest, ms' })],
    marks: [{ value: timeoutSeconds * 1000, label: 'timeout', isOnTheRight: true }],
  };
}

/**
 * A message whose function failed is back within minutes. A page goes out at the second failure, a
 * warning at each.
 */
function queueWatch({ severity }: Monitored): Pick<TickWatch, 'period' | 'failures'> {
  return { period: Duration.minutes(5), failures: severity === 'page' ? twoOfThree : oneIsEnough };
}

/**
 * Puts a function into subnets that exist already, by their ids: nothing is looked up, so that the
 * synthesis needs no account.
 *
 * Lambda makes the network interfaces in the name of the function's role. A request of the
 * function's own code carries `lambda:SourceFunctionArn`, and the condition refuses it: the
 * permission is for Lambda alone. AWS's serverless-patterns ("Deny access to networking management
 * from function code") deny by the function's ARN. Here that ARN would wait for its own role.
 */
function attachToVpc(
  lambdaFunction: LambdaFunction,
  role: Role,
  { subnetIds, securityGroupIds }: NonNullable<Deployment['vpc']>,
): void {
  grantActions(role, {
    actions: [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
    ],
    resourceArns: ['*'],
    wildcard: 'an interface has no id before it is made, and EC2 describes all or none',
    conditions: { Null: { 'lambda:SourceFunctionArn': 'true' } },
    why: 'Lambda itself puts the function into its subnets; the code of the function may not',
  });
  const resource = lambdaFunction.node.defaultChild;
  if (!(resource instanceof CfnFunction)) throw new Error('the function has no resource');
  resource.vpcConfig = { subnetIds: [...subnetIds], securityGroupIds: [...securityGroupIds] };
}
