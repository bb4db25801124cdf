/**
 * One stack's answers to its intrinsics: names and attributes of its resources, and its
 * parameters. Lazy, since a name may depend on another resource's name; a circle is reported with
 * the resources on it.
 */
import { IntrinsicError, resolveValue } from './intrinsics.ts';
import type { Scope } from './intrinsics.ts';
import { asObject, asText, type Json, type JsonObject, type StackTemplate } from './assembly.ts';
import { RESOURCE_TYPES, generatedName } from './resource-types.ts';
import type { Identity, LocalPlace } from './resource-types.ts';

/** A stack that can be asked. */
export interface StackScope extends Scope {
  /** The physical identity of a resource of this stack. */
  identity(logicalId: string): Identity;
}

/** Builds the scope of one stack; `imported` reaches the exports of the others. */
export function createStackScope(
  stack: StackTemplate,
  place: LocalPlace,
  imported: (name: string) => Json,
): StackScope {
  const { stackName, template } = stack;
  const resources = asObject(template['Resources']);
  const parameters = asObject(template['Parameters']);
  const known = new Map<string, Identity>();
  const inProgress = new Set<string>();

  const scope: StackScope = {
    imported,
    ref(name) {
      const pseudo = pseudoParameter(name, stackName, place);
      if (pseudo !== undefined) return pseudo;
      if (name === 'AWS::NoValue') return undefined;
      if (resources[name] !== undefined) return scope.identity(name).ref;
      const parameter = asObject(parameters[name])['Default'];
      if (parameter === undefined) throw new IntrinsicError(stackName, `Ref to ${name}, which nothing declares`);
      return parameter;
    },
    attribute(logicalId, attribute) {
      const value = scope.identity(logicalId).attributes[attribute];
      if (value === undefined)
        throw new IntrinsicError(
          `${stackName}/${logicalId}`,
          `the attribute ${attribute} is not known to the local runner`,
        );
      return value;
    },
    identity(logicalId) {
      const before = known.get(logicalId);
      if (before !== undefined) return before;
      if (inProgress.has(logicalId))
        throw new IntrinsicError(
          `${stackName}/${logicalId}`,
          `its name depends on itself: ${[...inProgress].join(' → ')}`,
        );
      inProgress.add(logicalId);
      const identity = identify({ stackName, logicalId, declared: asObject(resources[logicalId]) }, place, scope);
      inProgress.delete(logicalId);
      known.set(logicalId, identity);
      return identity;
    },
  };
  return scope;
}

/** A resource as its template has it. */
interface DeclaredResource {
  readonly stackName: string;
  readonly logicalId: string;
  readonly declared: JsonObject;
}

function identify({ stackName, logicalId, declared }: DeclaredResource, place: LocalPlace, scope: Scope): Identity {
  const typeName = asText(declared['Type']);
  if (typeName === undefined) throw new IntrinsicError(stackName, `no resource is called ${logicalId}`);
  const type = RESOURCE_TYPES[typeName];
  // An unknown type is listed as unsupported; a reference to it still gets a name, so that the rest
  // can be read.
  if (type === undefined) return unknownIdentity(`${stackName}-${logicalId}`, typeName, place);
  const properties = asObject(declared['Properties']);
  const resolve = (property: string): Json | undefined => {
    const value = properties[property];
    return value === undefined
      ? undefined
      : resolveValue(value, scope, `${stackName}/${logicalId}/Properties/${property}`);
  };
  const ownName = type.nameProperty === undefined ? undefined : asText(resolve(type.nameProperty));
  const name = ownName ?? generatedName(stackName, logicalId, type);
  const deciding: JsonObject = {};
  for (const property of type.identityProperties ?? []) {
    const value = resolve(property);
    if (value !== undefined) deciding[property] = value;
  }
  return { name, ...type.identify(name, place, deciding) };
}

function unknownIdentity(name: string, typeName: string, { region, accountId }: LocalPlace): Identity {
  const service = typeName.split('::')[1]?.toLowerCase() ?? 'unknown';
  const arn = `arn:aws:${service}:${region}:${accountId}:${name}`;
  return { name, ref: name, arn, attributes: { Arn: arn, Id: name } };
}

function pseudoParameter(name: string, stackName: string, { region, accountId }: LocalPlace): Json | undefined {
  switch (name) {
    case 'AWS::AccountId':
      return accountId;
    case 'AWS::Region':
      return region;
    case 'AWS::Partition':
      return 'aws';
    case 'AWS::URLSuffix':
      return 'amazonaws.com';
    case 'AWS::StackName':
      return stackName;
    case 'AWS::StackId':
      return stackId(stackName, { region, accountId });
    case 'AWS::NotificationARNs':
      return [];
    default:
      return undefined;
  }
}

/** The id that a stack has locally. */
export function stackId(stackName: string, { region, accountId }: Pick<LocalPlace, 'region' | 'accountId'>): string {
  return `arn:aws:cloudformation:${region}:${accountId}:stack/${stackName}/00000000-0000-4000-8000-000000000000`;
}
