import type { Authority } from '../aws/iam/authority.ts';
import { StartProblem } from '../state/start-problem.ts';
import type { LocalFunction } from '../lambda/local-function.ts';
import type { LocalMapping } from '../lambda/mapping/mapping.ts';
import {
  arnOf,
  asNumber,
  asObject,
  asText,
  type ResolvedAssembly,
  type ResolvedResource,
  resourcesOfType,
  textsOf,
} from '../template/assembly.ts';
/** Lambda's own defaults (AWS::Lambda::Function). */
const defaults = { memoryMb: 128, timeoutSeconds: 3 } as const;

/** The functions of the template, as the function host runs them. */
export function functionsOfTemplate(
  assembly: ResolvedAssembly,
  authority: Authority,
  clockFile: string,
): LocalFunction[] {
  return resourcesOfType(assembly, 'AWS::Lambda::Function').map((resource) => {
    const { properties } = resource;
    const roleArn = asText(properties['Role']) ?? '';
    // Lambda API, CreateFunction: it is refused, in these words.
    if (!authority.canAssume(roleArn, 'lambda.amazonaws.com'))
      throw new StartProblem(
        `${resource.name}: the role defined for the function cannot be assumed by Lambda (${roleArn})`,
      );
    const variables = asObject(asObject(properties['Environment'])['Variables']);
    return {
      name: resource.name,
      logicalId: resource.logicalId,
      arn: arnOf(resource),
      codeDirectory: assembly.assetPath(asText(asObject(properties['Code'])['S3Key']) ?? ''),
      handler: asText(properties['Handler']) ?? '',
      environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, asText(value) ?? ''])),
      memoryMb: asNumber(properties['MemorySize']) ?? defaults.memoryMb,
      timeoutMs: (asNumber(properties['Timeout']) ?? defaults.timeoutSeconds) * 1000,
      runtime: asText(properties['Runtime']) ?? '',
      credentials: authority.accessKeyFor(roleArn, resource.name),
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
  return resourcesOfType(assembly, 'AWS::Lambda::EventSourceMapping').map(({ logicalId, properties }) => ({
    logicalId,
    functionName: (asText(properties['FunctionName']) ?? '').split(':').at(-1) ?? '',
    queueArn: asText(properties['EventSourceArn']) ?? '',
    enabled: properties['Enabled'] !== false,
    batchSize: asNumber(properties['BatchSize']),
    maximumBatchingWindowSeconds: asNumber(properties['MaximumBatchingWindowInSeconds']),
    maximumConcurrency: asNumber(asObject(properties['ScalingConfig'])['MaximumConcurrency']),
    reportsItemFailures: textsOf(properties['FunctionResponseTypes']).includes('ReportBatchItemFailures'),
    hasFilterCriteria: properties['FilterCriteria'] !== undefined,
  }));
}

/**
 * Asked as Lambda does it for the log stream of an execution environment: in the name of the
 * function's role.
 */
function logRefusal(
  { region, accountId }: ResolvedAssembly,
  authority: Authority,
  { name, properties }: ResolvedResource,
): string | undefined {
  const caller = authority.roleCaller(asText(properties['Role']) ?? '', name);
  const group = asText(asObject(properties['LoggingConfig'])['LogGroup']) ?? `/aws/lambda/${name}`;
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
  const config = resourcesOfType(assembly, 'AWS::Lambda::EventInvokeConfig').find(
    ({ properties }) => properties['FunctionName'] === fn.name || properties['FunctionName'] === fn.arn,
  );
  const ageSeconds = asNumber(config?.properties['MaximumEventAgeInSeconds']);
  return {
    maximumRetryAttempts: asNumber(config?.properties['MaximumRetryAttempts']),
    maximumEventAgeMs: ageSeconds === undefined ? undefined : ageSeconds * 1000,
  };
}
