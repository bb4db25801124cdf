import { Grant, type IGrantable, type IPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, EventSourceMapping, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { FunctionEnvironment } from '../../shared/config/env-contract.ts';
import type { FunctionName } from '../../shared/vocabulary/function-names.ts';
import type { AssetDirectories } from '../bundle/write-assets.ts';
import type { StageNumbers } from '../config/stage-numbers.ts';
import { grantConsume } from './queue-grants.ts';

/** What the functions of a stage have in common. */
export interface FunctionSurroundings {
  readonly stage: string;
  readonly numbers: StageNumbers;
  /** Each function's folder, with its bundle and its `config.json`. */
  readonly assets: AssetDirectories;
}

/** What a deployed function needs to be told. */
export interface WorkerFunctionProps<Name extends FunctionName> {
  readonly name: Name;
  readonly surroundings: FunctionSurroundings;
  /** Lambda gives processor time by it. */
  readonly memoryMb: number;
  /** Exactly the variables of its contract; the stage comes by itself. */
  readonly environment: Omit<FunctionEnvironment<Name>, 'STAGE'>;
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
 * A function with a role and a log group of its own. The role begins with one permission, to write to that log group; each further one is
 * granted where the function is connected.
 */
export class WorkerFunction<Name extends FunctionName> extends Construct implements IGrantable {
  readonly grantPrincipal: IPrincipal;
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: WorkerFunctionProps<Name>) {
    super(scope, id);
    const { stage, numbers, assets } = props.surroundings;
    const description = `${props.name} of Gateway Autopilot (${stage})`;
    const logGroup = new LogGroup(this, 'Logs', { retention: logRetention, removalPolicy: RemovalPolicy.DESTROY });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description,
    });
    this.grantPrincipal = role;
    Grant.addToPrincipal({
      grantee: role,
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resourceArns: [logGroup.logGroupArn], // the ARN ends in :*, which is its streams
    });
    this.function = new LambdaFunction(this, 'Default', {
      description,
      architecture: Architecture.ARM_64,
      runtime: Runtime.NODEJS_24_X,
      handler: 'handler.handler',
      code: Code.fromAsset(assets[props.name]),
      timeout: Duration.seconds(numbers.timeoutSeconds[props.name]),
      memorySize: props.memoryMb,
      environment: { ...props.environment, STAGE: stage, NODE_OPTIONS: '--enable-source-maps' },
      role,
      logGroup,
    });
  }

  /** Lets a queue feed this function: only failed records of a batch go back, at most `maxConcurrency` batches run at once. */
  consume(id: string, { queue, batchSize, maxConcurrency }: QueueMapping): void {
    grantConsume(queue, this);
    new EventSourceMapping(this, id, {
      target: this.function,
      eventSourceArn: queue.queueArn,
      batchSize,
      maxBatchingWindow: Duration.seconds(0),
      maxConcurrency,
      reportBatchItemFailures: true,
    });
  }
}
