import type { Authority } from '../aws/iam/authority.ts';
import { StartProblem } from '../state/start-problem.ts';
import type { LocalFunction } from '../lambda/local-function.ts';
import type { LocalMapping } from '../lambda/mapping/mapping.ts';
import { arnOf, type ResolvedAssembly, type ResolvedResource } from '../template/assembly.ts';
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
      logicalId: resource.logicalId,
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
      ...asyncSettingsOf(assembly, resource),
    };
  });
}

/** The event source mappings of the template. */
export function mappingsOfTemplate(assembly: ResolvedAssembly): LocalMapping[] {
  return typedResources(assembly, 'AWS::Lambda::EventSourceMapping').map(({ logicalId, typed }) => ({
    logicalId,
    functionName: typed.FunctionName.split(':').at(-1) ?? '',
    queueArn: typed.EventSourceArn,
    enabled: typed.Enabled,
    batchSize: typed.BatchSize,
    maximumBatchingWindowSeconds: typed.MaximumBatchingWindowInSeconds,
    maximumConcurrency: typed.ScalingConfig?.MaximumConcurrency,
    reportsItemFailures: typed.FunctionResponseTypes.includes('ReportBatchItemFailures'),
  }));
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

/** AWS::Lambda::EventInvokeConfig. */
function asyncSettingsOf(
  assembly: ResolvedAssembly,
  fn: ResolvedResource,
): Pick<LocalFunction, 'maximumRetryAttempts' | 'maximumEventAgeMs'> {
  const config = typedResources(assembly, 'AWS::Lambda::EventInvokeConfig').find(({ typed }) =>
    [fn.name, fn.arn].includes(typed.FunctionName),
  );
  const ageSeconds = config?.typed.MaximumEventAgeInSeconds;
  return {
    maximumRetryAttempts: config?.typed.MaximumRetryAttempts,
    maximumEventAgeMs: ageSeconds === undefined ? undefined : ageSeconds * 1000,
  };
}
