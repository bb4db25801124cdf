import { asList, asText, isJsonObject, type Json, type JsonObject } from './json.ts';

/** What the intrinsics of one stack may ask for. */
export interface Scope {
  /** `Ref` to a resource or a pseudo parameter. */
  ref(name: string): string;
  /** `Fn::GetAtt`. */
  attribute(logicalId: string, attribute: string): string;
  /** `Fn::ImportValue`. */
  imported(exportName: string): string;
}

/**
 * Resolves every intrinsic in a value; `path` is its place for errors:
 * `Stack/LogicalId/Properties/…`.
 */
export function resolveValue(value: Json, scope: Scope, path: string): Json {
  if (Array.isArray(value)) return value.map((item, index) => resolveValue(item, scope, `${path}/${index}`));
  if (!isJsonObject(value)) return value;
  const [[name, argument] = ['', null], ...others] = Object.entries(value);
  if (others.length > 0 || (name !== 'Ref' && !name.startsWith('Fn::'))) return resolveObject(value, scope, path);
  const resolve = intrinsics.get(name);
  if (resolve === undefined) throw new Error(`${path}: the intrinsic ${name} is not known to the local runner`);
  return resolve(resolveValue(argument, scope, `${path}/${name}`), scope, path);
}

/** Resolves every property of an object. */
export function resolveObject(value: JsonObject, scope: Scope, path: string): JsonObject {
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, resolveValue(item, scope, `${path}/${key}`)]));
}

/** Each gets its argument resolved. */
const intrinsics: ReadonlyMap<string, (argument: Json, scope: Scope, path: string) => string> = new Map([
  ['Ref', (name, scope, path) => scope.ref(textOf(name, path))],
  ['Fn::GetAtt', getAtt],
  ['Fn::Join', join],
  ['Fn::Sub', substitute],
  ['Fn::ImportValue', (name, scope, path) => scope.imported(textOf(name, path))],
]);

function getAtt(argument: Json, scope: Scope, path: string): string {
  const [logicalId, ...attribute] = asList(argument).map((part) => textOf(part, path));
  return scope.attribute(logicalId ?? '', attribute.join('.'));
}

function join(argument: Json, _scope: Scope, path: string): string {
  const [separator, items] = asList(argument);
  return asList(items)
    .map((item) => textOf(item, path))
    .join(textOf(separator, path));
}

function substitute(argument: Json, scope: Scope, path: string): string {
  return textOf(argument, path).replaceAll(/\$\{([^}]*)\}/g, (_whole, name: string) => {
    const [logicalId = '', ...attribute] = name.split('.');
    return attribute.length > 0 ? scope.attribute(logicalId, attribute.join('.')) : scope.ref(name);
  });
}

function textOf(value: Json | undefined, path: string): string {
  const text = asText(value);
  if (text === undefined) throw new Error(`${path}: a text was expected inside an intrinsic`);
  return text;
}
