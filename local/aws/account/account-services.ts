import { principalArn } from '../iam/authority.ts';
import type { ResolvedAssembly } from '../../template/assembly.ts';
import { stackId } from '../../template/stack-scope.ts';
import { type AwsRequest, type AwsService, notEmulated } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { queryInput, queryResponse } from '../wire/read-request.ts';
import { container, element } from '../wire/xml.ts';

/** CloudFormation: the stacks of the assembly, as deployed. */
export function createCloudFormationService(assembly: ResolvedAssembly, startedAt: number): AwsService {
  const xmlns = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';
  const stackNamed = (request: AwsRequest, name: string | null): string | undefined => {
    const stack =
      name === null ? undefined : [...assembly.outputs.keys()].find((id) => [id, stackId(id, assembly)].includes(name));
    request.require(`cloudformation:${request.operation}`, name === null ? '*' : stackId(stack ?? name, assembly));
    if (name !== null && stack === undefined)
      throw new AwsError('ValidationError', `Stack with id ${name} does not exist`);
    return stack;
  };
  const stackXml = (name: string): string => {
    const outputs = Object.entries(assembly.outputs.get(name) ?? {}).map(([key, value]) =>
      container('member', [element('OutputKey', key), element('OutputValue', value)]),
    );
    return container('member', [
      element('StackName', name),
      element('StackId', stackId(name, assembly)),
      element('CreationTime', new Date(startedAt).toISOString()),
      element('StackStatus', 'CREATE_COMPLETE'),
      container('Outputs', outputs),
    ]);
  };
  const resourceXml = (name: string): string[] =>
    assembly.resources
      .filter(({ stackName }) => stackName === name)
      .map(({ logicalId, physicalId, type }) =>
        container('member', [
          element('LogicalResourceId', logicalId),
          element('PhysicalResourceId', physicalId),
          element('ResourceType', type),
          element('ResourceStatus', 'CREATE_COMPLETE'),
          element('LastUpdatedTimestamp', new Date(startedAt).toISOString()),
        ]),
      );

  return {
    name: 'cloudformation',
    protocol: 'query',
    handle(request) {
      const stack = queryInput(request).get('StackName');
      switch (request.operation) {
        case 'DescribeStacks': {
          const found = stackNamed(request, stack);
          const names = found === undefined ? [...assembly.outputs.keys()] : [found];
          return queryResponse('DescribeStacks', container('Stacks', names.map(stackXml)), xmlns);
        }
        case 'ListStackResources': {
          const found = stackNamed(request, stack) ?? '';
          return queryResponse('ListStackResources', container('StackResourceSummaries', resourceXml(found)), xmlns);
        }
        default:
          throw notEmulated('cloudformation', request.operation);
      }
    },
  };
}

// STS: who am I.

/** STS: only the caller's identity, which any caller may read. */
export function createStsService({ accountId }: ResolvedAssembly): AwsService {
  return {
    name: 'sts',
    protocol: 'query',
    handle(request) {
      if (request.operation !== 'GetCallerIdentity') throw notEmulated('sts', request.operation);
      const arn = principalArn(request.caller, accountId);
      const identity = [element('Arn', arn), element('UserId', 'LOCAL'), element('Account', accountId)];
      return queryResponse('GetCallerIdentity', identity.join(''), 'https://sts.amazonaws.com/doc/2011-06-15/');
    },
  };
}
