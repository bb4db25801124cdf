/** The rules of the template: which events of which bus go to which targets. */
import type * as z from 'zod';
import { arnOf, type ResolvedAssembly } from '../../template/cloud-assembly.ts';
import { isJsonObject, type Json, type JsonObject } from '../../template/json.ts';
import { type eventTargetRow, typedResources } from '../../template/resource-properties.ts';
import { notEmulated } from '../aws-error.ts';

/** The target of a rule's matches, in the words of templates. */
export type RuleTarget = z.output<typeof eventTargetRow>;

/** A rule as it was declared. */
interface DeclaredRule {
  readonly name: string;
  readonly arn: string;
  /** Name of its bus. */
  readonly bus: string;
  readonly isEnabled: boolean;
  readonly pattern: JsonObject;
  readonly targets: readonly RuleTarget[];
}

/** A rule, ready to be asked about an event. */
export interface EventRule extends DeclaredRule {
  readonly matches: EventPattern;
}

export function rulesOfTemplate(assembly: ResolvedAssembly): DeclaredRule[] {
  return typedResources(assembly, 'AWS::Events::Rule').map((rule) => ({
    name: rule.name,
    arn: arnOf(rule),
    bus: busName(rule.typed.EventBusName),
    isEnabled: rule.typed.State !== 'DISABLED',
    pattern: rule.typed.EventPattern,
    targets: rule.typed.Targets,
  }));
}

/** A bus is named by its name or by its ARN. */
export function busName(name = 'default'): string {
  return name.split('/').at(-1) ?? 'default';
}

/** Makes a rule ready; throws if its pattern can't be read. One that is disabled matches nothing. */
export function compileRule(rule: DeclaredRule): EventRule {
  const matches = compileEventPattern(rule.pattern, rule.arn);
  return { ...rule, matches: rule.isEnabled ? matches : () => false };
}

/** What a target gets: the event, or what the rule makes of it. */
export function payloadOf({ Input, InputTransformer }: RuleTarget, event: JsonObject): string {
  if (Input !== undefined) return Input;
  return InputTransformer === undefined ? JSON.stringify(event) : compileInputTransformer(InputTransformer)(event);
}

// EventBridge's event patterns ("Comparison operators for use in event patterns", EventBridge User
// Guide). What is not emulated is refused by name.

/** A pattern, ready to be asked about an event. */
export type EventPattern = (event: JsonObject) => boolean;

type Matcher = (value: Json | undefined) => boolean;

/** Reads a pattern; `where` names the rule in errors. */
export function compileEventPattern(pattern: JsonObject, where: string): EventPattern {
  const fields = Object.entries(pattern).map(([key, expected]) => {
    if (key.startsWith('$')) throw notEmulated('events', `the pattern ${key} of ${where}`);
    if (isJsonObject(expected)) {
      const nested = compileEventPattern(expected, `${where}/${key}`);
      return { key, matches: (value: Json | undefined) => isJsonObject(value) && nested(value) };
    }
    if (!Array.isArray(expected)) throw new Error(`${where}: "${key}" of its pattern must be an object or an array`);
    const matchers = expected.map((item) => compileMatcher(item, `${where}/${key}`));
    return { key, matches: (value: Json | undefined) => matchers.some((matcher) => matchesAny(matcher, value)) };
  });
  return (event) => fields.every(({ key, matches }) => matches(event[key]));
}

/** A list in the event matches if one of its items does. */
function matchesAny(matcher: Matcher, value: Json | undefined): boolean {
  return Array.isArray(value) ? value.some((item) => matcher(item)) : matcher(value);
}

function compileMatcher(expected: Json, where: string): Matcher {
  if (!isJsonObject(expected)) return (value) => value === expected;
  const [[kind, operand] = [], ...others] = Object.entries(expected);
  if (others.length > 0) throw new Error(`${where}: a matcher of its pattern has exactly one kind`);
  switch (kind) {
    case 'prefix':
      return (value) => typeof value === 'string' && typeof operand === 'string' && value.startsWith(operand);
    case 'exists':
      return (value) => (value !== undefined) === operand;
    default:
      throw notEmulated('events', `the matcher ${kind} of ${where}`);
  }
}

// EventBridge's input transformers: what a target gets in place of the event.

/** Makes what the target gets of an event. */
export type InputTransformer = (event: JsonObject) => string;

/**
 * Reads a transformer. A value inside a JSON text is put there as it is, elsewhere as JSON. One
 * that the event does not have leaves its place empty. EventBridge does not escape the values, so a
 * quote in one ends the text around it ("Amazon EventBridge input transformation", EventBridge User
 * Guide).
 */
export function compileInputTransformer({
  InputPathsMap: paths,
  InputTemplate: template,
}: NonNullable<RuleTarget['InputTransformer']>): InputTransformer {
  // JSON texts and what is between them, in turn.
  const pieces = template.split(/("(?:[^"\\]|\\.)*")/);
  return (event) =>
    pieces
      .map((piece) =>
        piece.replaceAll(/<([\w-]+)>/g, (whole, name: string) => {
          const path = paths[name];
          if (path === undefined) return whole;
          const value = valueAt(event, path);
          if (value === undefined) return '';
          if (!piece.startsWith('"')) return JSON.stringify(value);
          return typeof value === 'string' ? value : JSON.stringify(value);
        }),
      )
      .join('');
}

function valueAt(event: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = event;
  for (const key of path.split('.').slice(1)) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}
