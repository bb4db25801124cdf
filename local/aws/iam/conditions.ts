/** IAM's wildcards: `*` for any text, `?` for one character; everything else stands for itself. */
import { asObject, isJsonObject, type Json, textsOf } from '../../template/assembly.ts';

/**
 * Whether a text matches a pattern. Linear in practice: a star only ever backtracks to the last
 * one.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let position = 0;
  let lastStar = -1;
  let resume = 0;
  while (position < text.length) {
    if (pattern[at] === '*') {
      lastStar = at++;
      resume = position;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[position])) {
      at++;
      position++;
    } else if (lastStar >= 0) {
      at = lastStar + 1;
      position = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

/**
 * Whether an ARN matches a pattern, part by part: a star in one part does not swallow the colon to
 * the next.
 */
export function matchesArn(pattern: string, arn: string): boolean {
  if (pattern === '*') return true;
  const patterns = arnParts(pattern);
  const parts = arnParts(arn);
  return patterns.length === parts.length && patterns.every((part, index) => matchesGlob(part, parts[index] ?? ''));
}

function arnParts(arn: string): string[] {
  const parts = arn.split(':');
  return parts.length <= 6 ? parts : [...parts.slice(0, 5), parts.slice(5).join(':')];
}

// The `Condition` block of a policy statement. Operators that the runner does not evaluate are
// refused when the policy is read: an operator skipped would be a permission invented.

/**
 * What is known about a request: `aws:SourceArn`, `s3:prefix`, … Keys are compared without regard
 * to case.
 */
export type RequestContext = Readonly<Record<string, string | readonly string[]>>;

/** A condition, ready to be asked. */
export type Condition = (context: ContextReader) => boolean;

/** Values of a context key, or undefined if the request has none. */
export type ContextReader = (key: string) => readonly string[] | undefined;

type Test = (expected: string, actual: string) => boolean;

const lower = (text: string): string => text.toLowerCase();
const TESTS: Readonly<Record<string, Test>> = {
  StringEquals: (expected, actual) => expected === actual,
  StringLike: matchesGlob,
  ArnEquals: matchesArn,
  ArnLike: matchesArn,
  Bool: (expected, actual) => lower(expected) === lower(actual),
};

const NEGATED: Readonly<Record<string, string>> = { StringNotEquals: 'StringEquals' };

/** Reads a `Condition` block; every clause must hold. `where` names the policy in errors. */
export function compileConditions(block: Json | undefined, where: string): Condition {
  if (block === undefined) return () => true;
  if (!isJsonObject(block)) throw new Error(`${where}: Condition is not an object`);
  const clauses = Object.entries(block).flatMap(([operator, keys]) =>
    Object.entries(asObject(keys)).map(([key, expected]) => compileClause(operator, key, textsOf(expected), where)),
  );
  return (context) => clauses.every((clause) => clause(context));
}

function compileClause(operator: string, key: string, expected: readonly string[], where: string): Condition {
  const { set, name, ifExists } = parseOperator(operator);
  for (const value of expected) {
    if (value.includes('${')) throw new Error(`${where}: policy variables (${value}) are not evaluated locally`);
  }
  if (name === 'Null') {
    const wantsAbsent = expected[0]?.toLowerCase() === 'true';
    return (context) => (context(key) === undefined) === wantsAbsent;
  }
  const positive = NEGATED[name];
  const test = TESTS[positive ?? name];
  if (test === undefined)
    throw new Error(`${where}: the condition operator ${operator} is not known to the local runner`);
  const holds = (actual: string): boolean =>
    positive === undefined
      ? expected.some((value) => test(value, actual))
      : !expected.some((value) => test(value, actual));
  return (context) => {
    const actual = context(key);
    if (actual === undefined)
      return ifExists || set === 'ForAllValues' || (positive !== undefined && set === undefined);
    if (set === 'ForAnyValue') return actual.some(holds);
    return actual.every(holds);
  };
}

function parseOperator(operator: string): { set: string | undefined; name: string; ifExists: boolean } {
  const [first = '', second] = operator.split(':');
  const set = second === undefined ? undefined : first;
  const whole = second ?? first;
  const ifExists = whole.endsWith('IfExists');
  return { set, name: ifExists ? whole.slice(0, -'IfExists'.length) : whole, ifExists };
}

/** A reader over the context of a request. */
export function contextReader(context: RequestContext): ContextReader {
  const values = new Map(Object.entries(context).map(([key, value]) => [lower(key), value] as const));
  return (key) => {
    const value = values.get(lower(key));
    return typeof value === 'string' ? [value] : value;
  };
}
