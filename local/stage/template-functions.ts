import type { Authority } from '../aws/iam/authority.ts';
import { StartProblem } from '../state/start-problem.ts';
import type { LocalFunction } from '../lambda/local-function.ts';
import { arnOf, type ResolvedAssembly } from '../template/cloud-assembly.ts';
import { type TypedResource, typedResources } from '../template/resource-properties.ts';

/** The functions of the template, as the function host runs them. */
export function functionsOfTemplate(
  assembly: ResolvedAssembly,
  authority: Authority,
  clockFile: string,
): LocalFunction[] {
  return typedResources(assembly, 'AWS::Lambda::Function').map((resource) => {
    const { typed } = resource;
    // Lambda API, CreateFunction: it is refused, in these words.
    if (!authority.canAssume(typed.Role, 'lambda.amazonaws.com'))
      throw new StartProblem(
        `${resource.name}: the role defined for the function cannot be assumed by Lambda (${typed.Role})`,
      );
    return {
      name: resource.name,
      arn: arnOf(resource),
      codeDirectory: assembly.assetPath(typed.Code?.S3Key ?? ''),
      handler: typed.Handler,
      environment: typed.Environment?.Variables ?? {},
      memoryMb: typed.MemorySize,
      timeoutMs: typed.Timeout * 1000,
      runtime: typed.Runtime,
      credentials: authority.accessKeyFor(typed.Role, resource.name),
      region: assembly.region,
      endpointUrl: assembly.endpoint,
      clockFile,
      logRefusal: () => logRefusal(assembly, authority, resource),
    };
  });
}

/**
 * Asked as Lambda does it for the log stream of an execution environment: in the name of the
 * function's role.
 */
function logRefusal(
  { region, accountId }: ResolvedAssembly,
  authority: Authority,
  { name, typed }: TypedResource<'AWS::Lambda::Function'>,
): string | undefined {
  const caller = authority.roleCaller(typed.Role, name);
  const group = typed.LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`;
  const resource = `arn:aws:logs:${region}:${accountId}:log-group:${group}:log-stream:local`;
  const decisions = ['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) =>
    authority.authorize({ caller, action, resource }),
  );
  return decisions.flatMap((decision) => (decision.allowed ? [] : [decision.message]))[0];
}
