import type { StackResource } from '#shared/aws/stage-outputs.ts';
import { type FunctionName, functionNames } from '#shared/vocabulary/resource-names.ts';

/** A function of the stage with what the stack deployed for it. */
export interface DeployedFunction {
  readonly name: FunctionName;
  /** Absent if the stack has none. */
  readonly functionName?: string;
  readonly logGroup?: string;
  readonly mappings: readonly DeployedMappingId[];
}

/** What feeds it from a queue. */
export interface DeployedMappingId {
  readonly uuid: string;
  /** `Uploads`: of its construct, which is named after the queue. */
  readonly queue: string;
}

/** CDK ends every id with a hash of its path. */
const hash = '[0-9A-F]{8}';

/** Finds every function by the id of its construct: `RegisterDatasetsFunctionACC193FD`. Pure. */
export function deployedFunctions(resources: readonly StackResource[]): readonly DeployedFunction[] {
  return functionNames.map((name) => {
    const construct = `${pascalCase(name)}Function`;
    const idsOf = (type: string, rest: string) =>
      resources.flatMap((resource) => {
        const found = new RegExp(`${construct}${rest}${hash}$`).exec(resource.logicalId);
        return resource.type === type && found !== null ? [{ ...resource, part: found[1] ?? '' }] : [];
      });
    const [itself] = idsOf('AWS::Lambda::Function', '');
    const [logGroup] = idsOf('AWS::Logs::LogGroup', 'Logs');
    return {
      name,
      functionName: itself?.physicalId,
      logGroup: logGroup?.physicalId,
      mappings: idsOf('AWS::Lambda::EventSourceMapping', '([A-Za-z]+?)').map(({ physicalId, part }) => ({
        uuid: physicalId,
        queue: part,
      })),
    };
  });
}

/** The schedules that the stack deployed, by name. Pure. */
export function deployedSchedules(resources: readonly StackResource[]): readonly string[] {
  return resources.filter(({ type }) => type === 'AWS::Scheduler::Schedule').map(({ physicalId }) => physicalId);
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
