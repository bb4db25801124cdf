import {
  readCloudAssembly,
  type ResolvedAssembly,
  type ResolvedResource,
  type StackTemplate,
} from './cloud-assembly.ts';
import { asObject, asText, type Json } from './json.ts';
import { resolveObject, resolveValue, type Scope } from './intrinsics.ts';
import { unsupportedProperties } from './resource-properties.ts';
import { type Identity, identify, type LocalPlace, RESOURCE_TYPES, type ResourceType } from './resource-types.ts';

/** The machine on which the assembly will run. */
export interface ReadAssemblyOptions {
  /** Address of the front door, handed out in queue URLs. @default 'http://127.0.0.1:4566' */
  readonly endpoint?: string;
  /** @default 'eu-west-1' */
  readonly region?: string;
}

/** One stack, and its answers to its intrinsics. */
interface ScopedStack extends StackTemplate {
  readonly scope: Scope;
  /** The physical identity of a resource of this stack. */
  readonly identity: (logicalId: string) => Identity;
  /** Each with the name under which other stacks import it. */
  readonly outputs: readonly {
    readonly key: string;
    readonly exportName: string | undefined;
    readonly value: () => string;
  }[];
}

/**
 * Reads and resolves a cloud assembly.
 *
 * @example const assembly = readAssembly('cdk.out', { endpoint: 'http://127.0.0.1:4566' });
 */
export function readAssembly(directory: string, options: ReadAssemblyOptions = {}): ResolvedAssembly {
  const { region = 'eu-west-1', endpoint = 'http://127.0.0.1:4566' } = options;
  const place: LocalPlace = { region, accountId: '000000000000', endpoint };
  const { stacks, assets } = readCloudAssembly(directory);
  const imported = (name: string): string => {
    const output = scoped.flatMap((stack) => stack.outputs).find(({ exportName }) => exportName === name);
    if (output === undefined) throw new Error(`Fn::ImportValue: no stack of the assembly exports ${name}`);
    return output.value();
  };
  const scoped: readonly ScopedStack[] = stacks.map((stack) => scopedStack(stack, place, imported));

  const resources = scoped.flatMap(resolveResources);
  const unknown = resources.filter(({ type }) => RESOURCE_TYPES[type] === undefined);
  return {
    ...place,
    resources,
    outputs: new Map(
      scoped.map((stack) => [
        stack.stackName,
        Object.fromEntries(stack.outputs.map(({ key, value }) => [key, value()])),
      ]),
    ),
    unsupported: [
      ...unknown.map(({ type, stackName, logicalId }) => `${type} (${stackName}/${logicalId})`),
      ...unsupportedProperties(resources),
    ],
    assetPath(s3Key) {
      const path = assets.get(s3Key);
      if (path === undefined) throw new Error(`no asset of ${directory} has the key ${s3Key}`);
      return path;
    },
  };
}

function resolveResources({ stackName, template, scope, identity }: ScopedStack): ResolvedResource[] {
  return Object.entries(asObject(template['Resources'])).map(([logicalId, value]) => {
    const { Type, Properties, Condition } = asObject(value);
    if (Condition !== undefined)
      throw new Error(`${stackName}/${logicalId}: conditions of a template are not evaluated locally`);
    const { name, ref, arn } = identity(logicalId);
    const properties = resolveObject(asObject(Properties), scope, `${stackName}/${logicalId}/Properties`);
    return { stackName, logicalId, type: asText(Type) ?? '', properties, name, physicalId: ref, arn };
  });
}

/** One that is not known is listed as unsupported; a reference to it still gets a name. */
const unknownType: ResourceType = { arn: ({ place, name }) => `unknown:${place}:${name}` };

/** `imported` reaches the exports of the other stacks. */
function scopedStack(stack: StackTemplate, place: LocalPlace, imported: Scope['imported']): ScopedStack {
  const { stackName, template } = stack;
  const resources = asObject(template['Resources']);
  const pseudoParameters: Readonly<Record<string, string>> = {
    'AWS::AccountId': place.accountId,
    'AWS::Region': place.region,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const known = new Map<string, Identity>();
  // Lazy: the name of a resource may depend on that of another one.
  const identity = (logicalId: string): Identity => {
    const before = known.get(logicalId);
    if (before !== undefined) return before;
    const declared = asObject(resources[logicalId]);
    const typeName = asText(declared['Type']);
    if (typeName === undefined) throw new Error(`${stackName}: Ref to ${logicalId}, which nothing declares`);
    const type = RESOURCE_TYPES[typeName] ?? unknownType;
    const properties = asObject(declared['Properties']);
    const textOf = (property = ''): string | undefined =>
      asText(resolveValue(properties[property] ?? null, scope, `${stackName}/${logicalId}/Properties/${property}`));
    const names = { name: textOf(type.nameProperty), parent: textOf(type.parentProperty) };
    const found = identify(type, `${stackName}-${logicalId}`, { ...place, ...names });
    known.set(logicalId, found);
    return found;
  };
  const scope: Scope = {
    imported,
    ref: (name) => pseudoParameters[name] ?? identity(name).ref,
    attribute(logicalId, attribute) {
      const value = identity(logicalId).attributes[attribute];
      if (value !== undefined) return value;
      throw new Error(`${stackName}/${logicalId}: the attribute ${attribute} is not known to the local runner`);
    },
  };
  const outputs = Object.entries(asObject(template['Outputs'])).map(([key, output]) => {
    const { Value = null, Export } = asObject(output);
    const textOf = (value: Json) => asText(resolveValue(value, scope, `${stackName}/Outputs/${key}`)) ?? '';
    return { key, value: () => textOf(Value), exportName: asText(asObject(Export)['Name']) };
  });
  return { ...stack, scope, identity, outputs };
}
