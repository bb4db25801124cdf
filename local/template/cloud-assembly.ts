/**
 * What the rest of the local runner knows about the deployed template: every resource with its
 * intrinsics resolved, with its names and ARNs. It also has the outputs of each stack and the path
 * of each asset.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, parseJsonObject, asObject, asText } from './json.ts';

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
  /** Its ARN, if the type has one. */
  readonly arn?: string;
}

/** A cloud assembly, read and resolved for this machine. */
export interface ResolvedAssembly {
  readonly region: string;
  readonly accountId: string;
  /** The address of the front door, for instance `http://127.0.0.1:4566`. */
  readonly endpoint: string;
  readonly resources: readonly ResolvedResource[];
  /** Outputs by stack, then by key. */
  readonly outputs: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** What the runner does not emulate: `Type (Stack/LogicalId)`, and `Type: Property, Property`. */
  readonly unsupported: readonly string[];
  /** The file or folder of an asset, by the `S3Key` that a resource names. */
  assetPath(s3Key: string): string;
}

export function resourcesOfType(assembly: ResolvedAssembly, type: string): ResolvedResource[] {
  return assembly.resources.filter((resource) => resource.type === type);
}

/** The ARN of a resource whose type has one; anything else is a mistake of the caller. */
export function arnOf(resource: ResolvedResource): string {
  if (resource.arn === undefined)
    throw new Error(`${resource.stackName}/${resource.logicalId} (${resource.type}) has no ARN`);
  return resource.arn;
}

/** An ARN of the stage's region and account. */
export function arnIn(
  { region, accountId }: Pick<ResolvedAssembly, 'region' | 'accountId'>,
  service: string,
  resource: string,
): string {
  return `arn:aws:${service}:${region}:${accountId}:${resource}`;
}

// Reads the files of a `cdk.out` directory: the manifest, each stack's template, each stack's asset
// list.

/** One stack as synthesized, nothing resolved yet. */
export interface StackTemplate {
  readonly stackName: string;
  readonly template: JsonObject;
}

/** A cloud assembly as synthesized. */
export interface CloudAssembly {
  readonly stacks: readonly StackTemplate[];
  /** Absolute paths by object key. */
  readonly assets: ReadonlyMap<string, string>;
}

/** Reads a cloud assembly. */
export function readCloudAssembly(directory: string): CloudAssembly {
  const stacks: StackTemplate[] = [];
  const assets = new Map<string, string>();
  for (const [id, value] of Object.entries(asObject(readJson(directory, 'manifest.json')['artifacts']))) {
    const artifact = asObject(value);
    const { stackName, templateFile, file } = asObject(artifact['properties']);
    // The construct tree and reports are not deployed.
    if (artifact['type'] === 'aws:cloudformation:stack')
      stacks.push({ stackName: asText(stackName) ?? id, template: readJson(directory, asText(templateFile) ?? '') });
    if (artifact['type'] === 'cdk:asset-manifest') collectAssets(directory, asText(file) ?? '', assets);
  }
  return { stacks, assets };
}

function collectAssets(directory: string, file: string, assets: Map<string, string>): void {
  for (const value of Object.values(asObject(readJson(directory, file)['files']))) {
    const asset = asObject(value);
    const path = asText(asObject(asset['source'])['path']);
    if (path === undefined) continue;
    for (const destination of Object.values(asObject(asset['destinations']))) {
      const key = asText(asObject(destination)['objectKey']);
      if (key !== undefined) assets.set(key, join(directory, path));
    }
  }
}

function readJson(directory: string, file: string): JsonObject {
  const path = join(directory, file);
  try {
    return parseJsonObject(readFileSync(path, 'utf8'), path);
  } catch (error) {
    throw new Error(`could not read ${path}: is it a synthesized cloud assembly?`, { cause: error });
  }
}
