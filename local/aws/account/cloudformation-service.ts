import * as z from 'zod';
import type { ResolvedAssembly } from '../../template/assembly.ts';
import { stackId } from '../../template/stack-scope.ts';
import type { AwsRequest, AwsService } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { operation, queryService } from '../wire/operations.ts';
import { container, element } from '../wire/xml.ts';

const onStack = z.strictObject({ StackName: z.string().optional() });

/** CloudFormation: the stacks of the assembly, as deployed. */
export function createCloudFormationService(assembly: ResolvedAssembly, startedAt: number): AwsService {
  const at = new Date(startedAt).toISOString();
  const stacks = [...assembly.outputs.keys()];
  /** The stacks that a request is about: the one that it names, or all. */
  const asked = (name: string | undefined, request: AwsRequest): readonly string[] => {
    const stack = stacks.find((id) => name === id || name === stackId(id, assembly));
    request.require(`cloudformation:${request.operation}`, name === undefined ? '*' : stackId(stack ?? name, assembly));
    if (name === undefined) return stacks;
    if (stack === undefined) throw new AwsError('ValidationError', `Stack with id ${name} does not exist`);
    return [stack];
  };
  const stackXml = (name: string): string => {
    const outputs = Object.entries(assembly.outputs.get(name) ?? {}).map(([key, value]) =>
      container('member', [element('OutputKey', key), element('OutputValue', value)]),
    );
    return container('member', [
      element('StackName', name),
      element('StackId', stackId(name, assembly)),
      element('CreationTime', at),
      element('StackStatus', 'CREATE_COMPLETE'),
      container('Outputs', outputs),
    ]);
  };
  const resourcesXml = (names: readonly string[]): string[] =>
    assembly.resources
      .filter(({ stackName }) => names.includes(stackName))
      .map(({ logicalId, physicalId, type }) =>
        container('member', [
          element('LogicalResourceId', logicalId),
          element('PhysicalResourceId', physicalId),
          element('ResourceType', type),
          element('ResourceStatus', 'CREATE_COMPLETE'),
          element('LastUpdatedTimestamp', at),
        ]),
      );

  return queryService({
    name: 'cloudformation',
    xmlns: 'http://cloudformation.amazonaws.com/doc/2010-05-15/',
    operations: {
      DescribeStacks: operation(onStack, ({ StackName }, request) => [
        container('Stacks', asked(StackName, request).map(stackXml)),
      ]),
      ListStackResources: operation(onStack, ({ StackName }, request) => [
        container('StackResourceSummaries', resourcesXml(asked(StackName, request))),
      ]),
    },
  });
}
