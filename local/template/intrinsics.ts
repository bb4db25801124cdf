import { asText, isJsonObject, type Json, type JsonObject } from './assembly.ts';

/** What the intrinsics of one stack may ask for. */
export interface Scope {
  /** `Ref` to a resource, parameter or pseudo parameter; undefined for `AWS::NoValue`. */
  ref(name: string): Json | undefined;
  /** `Fn::GetAtt`. */
  attribute(logicalId: string, attribute: string): string;
  /** `Fn::ImportValue`. */
  imported(exportName: string): Json;
}

/** The path of a value, for error messages: `Stack/LogicalId/Properties/…`. */
export type Path = string;

/** An intrinsic that could not be resolved. */
export class IntrinsicError extends Error {
  override readonly name = 'IntrinsicError';
  constructor(path: Path, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
  }
}

/** Resolves a whole value; undefined if it is `AWS::NoValue`, so the caller leaves it out. */
export function resolveValue(value: Json, scope: Scope, path: Path): Json | undefined {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const resolved = resolveValue(item, scope, `${path}/${index}`);
      return resolved === undefined ? [] : [resolved];
    });
  }
  if (!isJsonObject(value)) return value;
  const intrinsic = intrinsicOf(value);
  if (intrinsic !== undefined) return resolveIntrinsic(intrinsic.name, intrinsic.argument, scope, path);
  return resolveObject(value, scope, path);
}

/** Resolves every property of an object, leaving out those that are `AWS::NoValue`. */
export function resolveObject(value: JsonObject, scope: Scope, path: Path): JsonObject {
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const resolved = resolveValue(item, scope, `${path}/${key}`);
    if (resolved !== undefined) result[key] = resolved;
  }
  return result;
}

function intrinsicOf(value: JsonObject): { name: string; argument: Json } | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return undefined;
  const [name, argument] = entry;
  return name === 'Ref' || name.startsWith('Fn::') ? { name, argument } : undefined;
}

type Resolve = (argument: Json, scope: Scope, path: Path) => Json | undefined;

const intrinsics: ReadonlyMap<string, Resolve> = new Map<string, Resolve>([
  ['Ref', (argument, scope, path) => scope.ref(textOf(argument, scope, path))],
  ['Fn::GetAtt', getAtt],
  ['Fn::Join', join],
  ['Fn::Sub', substitute],
  ['Fn::ImportValue', (argument, scope, path) => scope.imported(textOf(argument, scope, path))],
]);

function resolveIntrinsic(name: string, argument: Json, scope: Scope, path: Path): Json | undefined {
  const resolve = intrinsics.get(name);
  if (resolve === undefined) throw new IntrinsicError(path, `the intrinsic ${name} is not known to the local runner`);
  return resolve(argument, scope, path);
}

function getAtt(argument: Json, scope: Scope, path: Path): string {
  const [logicalId, ...attribute] = Array.isArray(argument)
    ? argument.map((item) => textOf(item, scope, path))
    : textOf(argument, scope, path).split('.');
  if (logicalId === undefined || attribute.length === 0) throw malformed(path, 'Fn::GetAtt');
  return scope.attribute(logicalId, attribute.join('.'));
}

function join(argument: Json, scope: Scope, path: Path): string {
  const [separator, list] = twoOf(argument, path, 'Fn::Join');
  const items = resolveValue(list, scope, path);
  if (!Array.isArray(items)) throw malformed(path, 'Fn::Join');
  return items.map((item) => scalar(item, path)).join(textOf(separator, scope, path));
}

function substitute(argument: Json, scope: Scope, path: Path): string {
  const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
  if (typeof text !== 'string' || !isJsonObject(variables)) throw malformed(path, 'Fn::Sub');
  return text.replaceAll(/\$\{(!?)([^}]*)\}/g, (_whole, literal: string, expression: string) => {
    if (literal === '!') return `\${${expression}}`;
    const name = expression.trim();
    const own = variables[name];
    if (own !== undefined) return textOf(own, scope, path);
    const [logicalId = '', ...attribute] = name.split('.');
    if (attribute.length > 0) return scope.attribute(logicalId, attribute.join('.'));
    return scalar(scope.ref(name), path);
  });
}

function textOf(value: Json, scope: Scope, path: Path): string {
  return scalar(resolveValue(value, scope, path), path);
}

function scalar(value: Json | undefined, path: Path): string {
  const text = asText(value);
  if (text === undefined) throw new IntrinsicError(path, 'a text was expected inside an intrinsic');
  return text;
}

function twoOf(argument: Json, path: Path, name: string): [Json, Json] {
  const [first, second] = Array.isArray(argument) ? argument : [];
  if (first === undefined || second === undefined) throw malformed(path, name);
  return [first, second];
}

function malformed(path: Path, name: string): IntrinsicError {
  return new IntrinsicError(path, `${name} has arguments that cannot be read`);
}
