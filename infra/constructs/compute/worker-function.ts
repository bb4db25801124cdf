import type { IGrantable, IPrincipal } from 'aws-cdk-lib/aws-iam';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
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
import { envContract } from '#shared/config/env-contract.ts';
import type { Deployment } from '#shared/config/automation.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import type { MetricName } from '#shared/vocabulary/metric-names.ts';
import type { AlarmName } from '../monitoring/alarm-names.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { deployedFunctionName, type FunctionName } from '#shared/vocabulary/resource-names.ts';
import type { AssetDirectories } from '../../bundle/write-assets.ts';
import type { QueueKind, StageNumbers } from '../../config/stage-numbers.ts';
import { type AlarmTopic, fiveMinutes, ownMetric, type OwnMetricProps, type Rings } from '../monitoring/alarm-topic.ts';
import type { OutcomeBus } from '../monitoring/outcome-notices.ts';
import type { LedgerTable } from '../storage/ledger-table.ts';
import type { TokenSecret } from '../storage/token-secret.ts';
import type { UploadsBucket } from '../storage/uploads-bucket.ts';
import { grantActions } from '../grant-actions.ts';
import { grantConsume, type WorkerQueue } from '../worker-queue.ts';

/** What every function of a stage is connected to. */
export interface StageConnections {
  readonly automation: ResolvedAutomation;
  readonly numbers: StageNumbers;
  /** Each function's folder, with its bundle and its `config.json`. */
  readonly assets: AssetDirectories;
  /** Where alarms ring. */
  readonly alarms: AlarmTopic;
  /** What functions reach of the state. */
  readonly state: {
    readonly token: TokenSecret;
    readonly bus: OutcomeBus;
    readonly bucket: UploadsBucket;
    readonly queues: Readonly<Record<QueueKind, WorkerQueue>>;
  };
  /** The table of the stage's mode. */
  readonly ledger: LedgerTable;
  /** In a stage that observes: the table of what was done for real. */
  readonly acting?: LedgerTable | undefined;
  /** All variables of the functions: each gets those of its contract. */
  readonly variables: Readonly<Record<(typeof envContract)[FunctionName][number], string>>;
}

/** What is about one function alone. */
export interface WorkerFunctionProps {
  readonly name: FunctionName;
  /** Lambda gives processor time by it. */
  readonly memoryMb: number;
  /**
   * What rings when it fails: an error, a timeout, too little memory. A worker answers what it
   * cannot do, so each of them is abnormal. Or why nothing has to ring.
   */
  readonly failures:
    | (Rings & { readonly alarm: AlarmName; readonly period?: Duration | undefined })
    | { readonly none: string };
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
 * A function with a role and a log group of its own. Its role may write to that log group. It
 * may read the token if it gets the ARN, and put events if it gets the name of the bus. Each other
 * connection of the function grants its own.
 */
export class WorkerFunction extends Construct implements IGrantable {
  readonly grantPrincipal: IPrincipal;
  readonly function: LambdaFunction;
  private readonly counted: Pick<OwnMetricProps, 'stage' | 'by'>;

  constructor(scope: Construct, connections: StageConnections, { name, memoryMb, failures }: WorkerFunctionProps) {
    super(scope, `${name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Function`);
    const { automation, numbers, assets, alarms, state, variables } = connections;
    const { stage, deployment } = automation;
    this.counted = { stage, by: name };
    const description = `${name} of Gateway Autopilot (${stage})`;
    const logGroup = new LogGroup(this, 'Logs', { retention: logRetention, removalPolicy: RemovalPolicy.DESTROY });
    const role = new Role(this, 'Role', {
      // Lambda documents no source for taking on a role. iam:PassRole, which ends at the account,
      // says who may hand it to a function.
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description,
    });
    this.grantPrincipal = role;
    grantActions(role, {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resourceArns: [logGroup.logGroupArn], // the ARN ends in :*, which is its streams
      why: 'its own log',
    });
    const contract: readonly (keyof typeof variables)[] = envContract[name];
    this.function = new LambdaFunction(this, 'Default', {
      functionName: deployedFunctionName(stage, name),
      description,
      architecture: Architecture.ARM_64,
      runtime: Runtime.NODEJS_24_X,
      handler: 'handler.handler',
      code: Code.fromAsset(assets[name]),
      timeout: Duration.seconds(numbers.timeoutSeconds[name]),
      memorySize: memoryMb,
      // Without --enable-source-maps: each cold start would read the map, 58 ms of it
      // (docs/reference/performance.md). It lies beside the bundle for people.
      environment: {
        ...Object.fromEntries(contract.map((variable) => [variable, variables[variable]])),
        STAGE: stage,
        AUTOPILOT_VERSION: productVersion,
      },
      role,
      logGroup,
    });
    this.explainFindings();
    if (contract.includes('TOKEN_SECRET_ARN')) state.token.grantRead(this);
    if (contract.includes('EVENT_BUS_NAME')) state.bus.grantPut(this);
    if (deployment.vpc !== undefined) attachToVpc(this.function, role, deployment.vpc);
    if ('none' in failures) return;
    const { alarm, period = fiveMinutes } = failures;
    alarms.ring(this, alarm, this.function.metricErrors({ statistic: 'Sum', period }), failures);
  }

  /** What it counts. */
  metric(name: MetricName, of: Pick<OwnMetricProps, 'statistic' | 'period'> = {}) {
    return ownMetric(name, { ...this.counted, ...of });
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
