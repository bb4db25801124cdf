/**
 * Rules: which events of which bus go to which targets. Those of the template, and those that
 * callers made.
 */
import {
  arnOf,
  asList,
  asNumber,
  asObject,
  asText,
  isJsonObject,
  type Json,
  type JsonObject,
  type ResolvedAssembly,
  resourcesOfType,
} from '../../template/assembly.ts';
import { notEmulated } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';

/** The target of a rule's matches. */
export interface RuleTarget {
  readonly id: string;
  readonly arn: string;
  /**
   * The role under which EventBridge calls it; without one, a policy of the target lets EventBridge
   * in.
   */
  readonly roleArn: string | undefined;
  /** Queue for what the target did not take. */
  readonly deadLetterArn: string | undefined;
  /** What it gets: the event, or what the rule makes of it. */
  readonly payload: (event: JsonObject) => string;
}

/** A rule as it was declared or made. */
export interface DeclaredRule {
  readonly name: string;
  readonly arn: string;
  /** Name of its bus. */
  readonly bus: string;
  readonly isEnabled: boolean;
  readonly pattern: JsonObject | undefined;
  /** In the words of the API, which are those of templates too. */
  readonly targets: readonly JsonObject[];
}

/** A rule, ready to be asked about an event. */
export interface EventRule extends Omit<DeclaredRule, 'targets'> {
  readonly matches: EventPattern;
  readonly targets: readonly RuleTarget[];
}

/** The rules of the template. */
export function rulesOfTemplate(assembly: ResolvedAssembly): DeclaredRule[] {
  return resourcesOfType(assembly, 'AWS::Events::Rule').map((rule) => {
    const { name, properties } = rule;
    const pattern = properties['EventPattern'];
    return {
      name,
      arn: arnOf(rule),
      bus: busName(properties['EventBusName']),
      isEnabled: properties['State'] !== 'DISABLED',
      pattern: isJsonObject(pattern) ? pattern : undefined,
      targets: asList(properties['Targets']).map(asObject),
    };
  });
}

/** A bus is named by its name or by its ARN. */
export function busName(value: Json | undefined): string {
  return (asText(value) ?? 'default').split('/').at(-1) ?? 'default';
}

/**
 * Makes a rule ready; throws if its pattern can't be read. One that is disabled or has no pattern
 * matches nothing.
 */
export function compileRule(rule: DeclaredRule): EventRule {
  const { pattern, isEnabled, targets } = rule;
  const matches = pattern === undefined ? () => false : compileEventPattern(pattern, rule.arn);
  return {
    ...rule,
    matches: isEnabled ? matches : () => false,
    targets: targets.map((target) => ({
      id: asText(target['Id']) ?? '',
      arn: asText(target['Arn']) ?? '',
      roleArn: asText(target['RoleArn']),
      deadLetterArn: asText(asObject(target['DeadLetterConfig'])['Arn']),
      payload: payloadOf(target),
    })),
  };
}

/** What rules ask for and the emulator does not do, besides whole properties. */
export function unsupportedOfRules(assembly: ResolvedAssembly): string[] {
  return resourcesOfType(assembly, 'AWS::Events::Rule').flatMap(({ properties, stackName, logicalId }) =>
    unsupportedOfTargets(asList(properties['Targets']).map(asObject)).map(
      (what) => `AWS::Events::Rule target ${what} (${stackName}/${logicalId})`,
    ),
  );
}

/** What targets ask for and the emulator does not do. */
export function unsupportedOfTargets(targets: readonly JsonObject[]): string[] {
  const services = targets
    .map((target) => asText(target['Arn'])?.split(':')[2] ?? 'unknown')
    .filter((service) => !['sqs', 'lambda', 'sns', 'events'].includes(service));
  const shaped = targets.flatMap(({ InputPath, InputTransformer }) => [
    ...(InputPath === undefined ? [] : ['InputPath']),
    ...unsupportedOfTransformer(InputTransformer).map((what) => `InputTransformer ${what}`),
  ]);
  return [...services, ...shaped];
}

function payloadOf({ Input, InputTransformer }: JsonObject): RuleTarget['payload'] {
  const input = asText(Input);
  if (input !== undefined) return () => input;
  return InputTransformer === undefined ? (event) => JSON.stringify(event) : compileInputTransformer(InputTransformer);
}

// EventBridge's event patterns ("Comparison operators for use in event patterns", EventBridge User
// Guide). What EventBridge does not have is refused in its words; what it alone has, by name.

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
    if (!Array.isArray(expected)) throw badPattern(where, `"${key}" must be an object or an array`);
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
  if (kind === undefined || operand === undefined || others.length > 0)
    throw badPattern(where, 'a matcher has exactly one kind');
  switch (kind) {
    case 'prefix':
      return (value) => typeof value === 'string' && typeof operand === 'string' && value.startsWith(operand);
    case 'suffix':
      return (value) => typeof value === 'string' && typeof operand === 'string' && value.endsWith(operand);
    case 'equals-ignore-case':
      return (value) => typeof value === 'string' && value.toLowerCase() === asText(operand)?.toLowerCase();
    case 'exists':
      return (value) => (value !== undefined) === operand;
    case 'anything-but': {
      const inner = asList(operand).map((item) => compileMatcher(item, where));
      return (value) => value !== undefined && !inner.some((matcher) => matcher(value));
    }
    case 'numeric':
      return compileNumeric(asList(operand), where);
    default:
      throw unknownMatcher(kind, where);
  }
}

function unknownMatcher(kind: string, where: string): AwsError {
  if (['cidr', 'wildcard'].includes(kind)) return notEmulated('events', `the matcher ${kind} of ${where}`);
  return badPattern(where, `Unrecognized match type ${kind}`);
}

/** EventBridge API, PutRule, Errors. */
function badPattern(where: string, reason: string): AwsError {
  return new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason} (${where})`);
}

function compileNumeric(operand: readonly Json[], where: string): Matcher {
  const bounds: ((value: number) => boolean)[] = [];
  for (let index = 0; index < operand.length; index += 2) {
    const bound = asNumber(operand[index + 1]);
    const comparison = COMPARISONS[asText(operand[index]) ?? ''];
    if (bound === undefined || comparison === undefined) throw badPattern(where, 'a numeric matcher cannot be read');
    bounds.push((value) => comparison(value, bound));
  }
  return (value) => typeof value === 'number' && bounds.every((holds) => holds(value));
}

const COMPARISONS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

// EventBridge's input transformers: what a target gets in place of the event. What is not known
// here is listed when the rule is read.

/** Makes what the target gets of an event. */
export type InputTransformer = (event: JsonObject) => string;

/**
 * What of a transformer is not emulated: variables that EventBridge defines itself, paths that are
 * more than keys and dots.
 */
export function unsupportedOfTransformer(transformer: Json | undefined): string[] {
  const { paths, template } = partsOf(transformer);
  return [
    ...Object.values(paths).filter((path) => !/^\$(?:\.[\w-]+)+$/.test(path)),
    ...[...template.matchAll(/<(aws\.[\w.-]+)>/g)].map(([, name = '']) => name),
  ];
}

/**
 * Reads a transformer. A value inside a JSON text is put there as it is, elsewhere as JSON. One
 * that the event does not have leaves its place empty. EventBridge does not escape the values, so a
 * quote in one ends the text around it ("Amazon EventBridge input transformation", EventBridge User
 * Guide).
 */
export function compileInputTransformer(transformer: Json | undefined): InputTransformer {
  const { paths, template } = partsOf(transformer);
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

function partsOf(transformer: Json | undefined): {
  readonly paths: Readonly<Record<string, string>>;
  readonly template: string;
} {
  const { InputPathsMap, InputTemplate } = asObject(transformer);
  const paths = Object.entries(asObject(InputPathsMap)).map(([name, path]) => [name, asText(path) ?? ''] as const);
  return { paths: Object.fromEntries(paths), template: asText(InputTemplate) ?? '' };
}

function valueAt(event: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = event;
  for (const key of path.split('.').slice(1)) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}
