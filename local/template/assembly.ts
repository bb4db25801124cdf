/**
 * What the rest of the local runner knows about the deployed template: every resource with its intrinsics resolved, the
 * names and ARNs it would have, the outputs of each stack, and where each asset lies on disk.
 */
import type { JsonObject } from './json.ts';

/** One resource of the template, as it would stand after a deployment. */
export interface ResolvedResource {
  /** The stack that declares it. */
  readonly stackName: string;
  /** Its id in the template. */
  readonly logicalId: string;
  /** Its CloudFormation type. */
  readonly type: string;
  /** Its properties, with every intrinsic resolved. */
  readonly properties: JsonObject;
  /** Its physical name, declared or `<stack>-<logicalId>`. */
  readonly name: string;
  /** What `Ref` gives: a queue's URL, a secret's ARN, the name of most others. */
  readonly physicalId: string;
  /** Its ARN, where the type has one. */
  readonly arn?: string;
  /** Logical ids of its stack that must exist before it. */
  readonly dependsOn: readonly string[];
}

/** A cloud assembly, read and resolved for this machine. */
export interface ResolvedAssembly {
  readonly region: string;
  readonly accountId: string;
  /** Where the front door listens, for instance `http://127.0.0.1:4566`. */
  readonly endpoint: string;
  readonly resources: readonly ResolvedResource[];
  /** Outputs by stack, then by key. */
  readonly outputs: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** What the runner does not emulate, as `Type (Stack/LogicalId)`. */
  readonly unsupported: readonly string[];
  /** The file or folder of an asset, by the `S3Key` that a resource names. */
  assetPath(s3Key: string): string;
}

/** All resources of one type. */
export function resourcesOfType(assembly: ResolvedAssembly, type: string): ResolvedResource[] {
  return assembly.resources.filter((resource) => resource.type === type);
}

/** The ARN of a resource whose type has one; anything else is a mistake of the caller. */
export function arnOf(resource: ResolvedResource): string {
  if (resource.arn === undefined)
    throw new Error(`${resource.stackName}/${resource.logicalId} (${resource.type}) has no ARN`);
  return resource.arn;
}
