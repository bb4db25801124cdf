import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { AppError } from '../errors/app-error.ts';
import {
  stackNames,
  type StageOutputs,
  stateOutputs,
  versionOutput,
  workersOutputs,
} from '../vocabulary/stack-outputs.ts';
import type { ClientSettings } from './client-settings.ts';

/** The stage is not deployed here, or not whole. */
export class StageNotFoundError extends AppError {
  override readonly name = 'StageNotFoundError';

  constructor(message: string, cause?: unknown) {
    super(message, { code: 'STAGE_NOT_FOUND', retryable: false, cause });
  }
}

/**
 * Finds a stage by the outputs of its two stacks: the same call in AWS and on one machine.
 * @throws StageNotFoundError if a stack or one of its outputs is missing
 */
export async function readStageOutputs(client: CloudFormationClient, stage: string): Promise<StageOutputs> {
  const names = stackNames(stage);
  const [state, workers] = await Promise.all([
    stackOutputs(client, stage, names.state),
    stackOutputs(client, stage, names.workers),
  ]);
  return {
    ...pick(names.state, state, stateOutputs),
    ...pick(names.workers, workers, workersOutputs),
    [versionOutput]: workers.get(versionOutput),
  };
}

async function stackOutputs(
  client: CloudFormationClient,
  stage: string,
  stackName: string,
): Promise<ReadonlyMap<string, string>> {
  try {
    const answer = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    const outputs = answer.Stacks?.[0]?.Outputs ?? [];
    return new Map(outputs.map((output) => [output.OutputKey ?? '', output.OutputValue ?? '']));
  } catch (error) {
    // CloudFormation says a missing stack by a general ValidationError; its text is the only
    // difference.
    if (error instanceof Error && /does not exist/.test(error.message)) {
      throw new StageNotFoundError(`there is no stage "${stage}" here: the stack ${stackName} does not exist`, error);
    }
    throw error;
  }
}

function pick<const Name extends string>(
  stackName: string,
  outputs: ReadonlyMap<string, string>,
  wanted: readonly Name[],
): Record<Name, string> {
  const missing = wanted.filter((name) => !outputs.get(name));
  if (missing.length > 0) {
    throw new StageNotFoundError(
      `the stack ${stackName} has no output ${missing.join(', ')}: deploy it again with this version`,
    );
  }
  return Object.fromEntries(wanted.map((name) => [name, outputs.get(name)])) as Record<Name, string>;
}

/** A deployed resource of a stack. */
export interface StackResource {
  readonly logicalId: string;
  /** What `Ref` gives: a function's name, a mapping's UUID, a schedule's name, a topic's ARN. */
  readonly physicalId: string;
  /** `AWS::Lambda::Function`. */
  readonly type: string;
}

/** Lists what a stack deployed, in AWS and on one machine. */
export async function listStackResources(
  client: CloudFormationClient,
  stackName: string,
): Promise<readonly StackResource[]> {
  const resources: StackResource[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: stackName })) {
    for (const { LogicalResourceId = '', PhysicalResourceId = '', ResourceType = '' } of page.StackResourceSummaries ??
      []) {
      resources.push({ logicalId: LogicalResourceId, physicalId: PhysicalResourceId, type: ResourceType });
    }
  }
  return resources;
}

/** A client of CloudFormation. */
export function createCloudFormationClient(settings: ClientSettings = {}): CloudFormationClient {
  return new CloudFormationClient(settings);
}
