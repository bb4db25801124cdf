import {
  asObject,
  asText,
  type Json,
  readCloudAssembly,
  type ResolvedAssembly,
  type ResolvedResource,
  type StackTemplate,
} from './assembly.ts';
import { resolveObject, resolveValue } from './intrinsics.ts';
import { unsupportedProperties } from './resource-properties.ts';
import { RESOURCE_TYPES } from './resource-types.ts';
import type { LocalPlace } from './resource-types.ts';
import { createStackScope } from './stack-scope.ts';
import type { StackScope } from './stack-scope.ts';

/** The machine on which the assembly will run. */
export interface ReadAssemblyOptions {
  /** Address of the front door, handed out in queue URLs. @default 'http://127.0.0.1:4566' */
  readonly endpoint?: string;
  /** @default 'eu-west-1' */
  readonly region?: string;
  /** @default '000000000000' */
  readonly accountId?: string;
}

interface ScopedStack {
  readonly stack: StackTemplate;
  readonly scope: StackScope;
}

/**
 * Reads and resolves a cloud assembly.
 *
 * @example const assembly = readAssembly('cdk.out', { endpoint: 'http://127.0.0.1:4566' });
 */
export function readAssembly(directory: string, options: ReadAssemblyOptions = {}): ResolvedAssembly {
  const place: LocalPlace = {
    region: options.region ?? 'eu-west-1',
    accountId: options.accountId ?? '000000000000',
    endpoint: options.endpoint ?? 'http://127.0.0.1:4566',
  };
  const cloudAssembly = readCloudAssembly(directory);
  const scoped: ScopedStack[] = [];
  const imported = (name: string): Json => exportedValue(scoped, name);
  for (const stack of cloudAssembly.stacks) scoped.push({ stack, scope: createStackScope(stack, place, imported) });

  const resources = scoped.flatMap(resolveResources);
  return {
    ...place,
    resources,
    outputs: new Map(scoped.map((entry) => [entry.stack.stackName, resolveOutputs(entry)])),
    unsupported: [
      ...resources
        .filter((resource) => RESOURCE_TYPES[resource.type] === undefined)
        .map((resource) => `${resource.type} (${resource.stackName}/${resource.logicalId})`),
      ...unsupportedProperties(resources),
    ],
    assetPath(s3Key) {
      const path = cloudAssembly.assets.get(s3Key);
      if (path === undefined) throw new Error(`no asset of ${directory} has the key ${s3Key}`);
      return path;
    },
  };
}

function resolveResources({ stack, scope }: ScopedStack): ResolvedResource[] {
  const { stackName, template } = stack;
  return Object.entries(asObject(template['Resources'])).map(([logicalId, value]) => {
    const resource = asObject(value);
    if (resource['Condition'] !== undefined)
      throw new Error(`${stackName}/${logicalId}: conditions of a template are not evaluated locally`);
    const { name, ref, arn } = scope.identity(logicalId);
    return {
      stackName,
      logicalId,
      type: asText(resource['Type']) ?? '',
      properties: resolveObject(asObject(resource['Properties']), scope, `${stackName}/${logicalId}/Properties`),
      name,
      physicalId: ref,
      arn,
    };
  });
}

function resolveOutputs({ stack, scope }: ScopedStack): Record<string, string> {
  const outputs: Record<string, string> = {};
  for (const [key, value] of Object.entries(asObject(stack.template['Outputs']))) {
    const path = `${stack.stackName}/Outputs/${key}`;
    const resolved = resolveValue(asObject(value)['Value'] ?? null, scope, path);
    outputs[key] = asText(resolved) ?? JSON.stringify(resolved);
  }
  return outputs;
}

function exportedValue(stacks: readonly ScopedStack[], name: string): Json {
  for (const { stack, scope } of stacks) {
    for (const [key, value] of Object.entries(asObject(stack.template['Outputs']))) {
      const output = asObject(value);
      const exported = asObject(output['Export'])['Name'];
      const path = `${stack.stackName}/Outputs/${key}`;
      if (exported === undefined || resolveValue(exported, scope, `${path}/Export`) !== name) continue;
      const resolved = resolveValue(output['Value'] ?? null, scope, path);
      if (resolved !== undefined) return resolved;
    }
  }
  throw new Error(`Fn::ImportValue: no stack of the assembly exports ${name}`);
}
