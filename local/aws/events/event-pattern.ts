/** EventBridge's event patterns. A matcher that is not known here is refused when the rule is read. */
import { asList, asNumber, asText, isJsonObject } from '../../template/json.ts';
import type { Json, JsonObject } from '../../template/json.ts';

/** A pattern, ready to be asked about an event. */
export type EventPattern = (event: JsonObject) => boolean;

type Matcher = (value: Json | undefined) => boolean;

/** Reads a pattern; `where` names the rule in errors. */
export function compileEventPattern(pattern: JsonObject, where: string): EventPattern {
  const fields = Object.entries(pattern).map(([key, expected]) => {
    if (key.startsWith('$')) throw new Error(`${where}: the pattern ${key} is not known to the local runner`);
    if (isJsonObject(expected)) {
      const nested = compileEventPattern(expected, `${where}/${key}`);
      return { key, matches: (value: Json | undefined) => isJsonObject(value) && nested(value) };
    }
    const matchers = asList(expected).map((item) => compileMatcher(item, `${where}/${key}`));
    return { key, matches: (value: Json | undefined) => matchers.some((matcher) => matchesAny(matcher, value)) };
  });
  return (event) => fields.every(({ key, matches }) => matches(event[key]));
}

/** A list in the event matches where one of its items does. */
function matchesAny(matcher: Matcher, value: Json | undefined): boolean {
  return Array.isArray(value) ? value.some((item) => matcher(item)) : matcher(value);
}

function compileMatcher(expected: Json, where: string): Matcher {
  if (!isJsonObject(expected)) return (value) => value === expected;
  const [[kind, operand] = [], ...others] = Object.entries(expected);
  if (kind === undefined || operand === undefined || others.length > 0)
    throw new Error(`${where}: a matcher has exactly one kind`);
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
      throw new Error(`${where}: the matcher ${kind} is not known to the local runner`);
  }
}

function compileNumeric(operand: readonly Json[], where: string): Matcher {
  const bounds: ((value: number) => boolean)[] = [];
  for (let index = 0; index < operand.length; index += 2) {
    const bound = asNumber(operand[index + 1]);
    const comparison = COMPARISONS[asText(operand[index]) ?? ''];
    if (bound === undefined || comparison === undefined) throw new Error(`${where}: a numeric matcher can't be read`);
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
