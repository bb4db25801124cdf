import * as z from 'zod';
import { arnIn } from '../../template/cloud-assembly.ts';
import type { AwsStage } from './aws-stage.ts';
import type { AwsRequest, AwsService } from '../wire/aws-service.ts';
import { AwsError } from '../aws-error.ts';
import { operation, queryService } from '../wire/operations.ts';
import { container, element, record } from '../wire/xml.ts';

const onStack = z.strictObject({ StackName: z.string() });

/** CloudFormation: the stacks of the assembly, as deployed. */
export function createCloudFormationService({ assembly, now }: AwsStage): AwsService {
  const at = new Date(now()).toISOString();
  const stackId = (name: string) =>
    arnIn(assembly, 'cloudformation', `stack/${name}/00000000-0000-4000-8000-000000000000`);
  /** The stack that a request names. */
  const asked = (name: string, request: AwsRequest): string => {
    request.require(`cloudformation:${request.operation}`, stackId(name));
    if (assembly.outputs.has(name)) return name;
    throw new AwsError('ValidationError', `Stack with id ${name} does not exist`);
  };

  return queryService({
    name: 'cloudformation',
    xmlns: 'http://cloudformation.amazonaws.com/doc/2010-05-15/',
    operations: {
      DescribeStacks: operation(onStack, ({ StackName }, request) => {
        const outputs = Object.entries(assembly.outputs.get(asked(StackName, request)) ?? {});
        const stack = { StackName, StackId: stackId(StackName), CreationTime: at, StackStatus: 'CREATE_COMPLETE' };
        const members = outputs.map(([OutputKey, OutputValue]) => record('member', { OutputKey, OutputValue }));
        const elements = Object.entries(stack).map(([name, text]) => element(name, text));
        return [container('Stacks', container('member', [...elements, container('Outputs', members)]))];
      }),
      ListStackResources: operation(onStack, ({ StackName }, request) => {
        const name = asked(StackName, request);
        const members = assembly.resources
          .filter((resource) => resource.stackName === name)
          .map(({ logicalId, physicalId, type }) =>
            record('member', {
              LogicalResourceId: logicalId,
              PhysicalResourceId: physicalId,
              ResourceType: type,
              ResourceStatus: 'CREATE_COMPLETE',
              LastUpdatedTimestamp: at,
            }),
          );
        return [container('StackResourceSummaries', members)];
      }),
    },
  });
}
