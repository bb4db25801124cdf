import { type CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';

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
