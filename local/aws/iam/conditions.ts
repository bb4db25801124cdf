/** IAM's wildcards: `*` for any text, `?` for one character; everything else stands for itself. */
import { asObject, isJsonObject, type Json, textsOf } from '../../template/json.ts';

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
export type Condition = (context: RequestContext) => boolean;

type Test = (expected: string, actual: string) => boolean;

const lower = (text: string): string => text.toLowerCase();
const isEqual: Test = (expected, actual) => expected === actual;

/** With `isNegated`, none of the expected values may be there. */
const operators: Readonly<Record<string, { readonly test: Test; readonly isNegated?: true }>> = {
  StringEquals: { test: isEqual },
  StringNotEquals: { test: isEqual, isNegated: true },
  StringLike: { test: matchesGlob },
  ArnEquals: { test: matchesArn },
  ArnLike: { test: matchesArn },
  Bool: { test: (expected, actual) => lower(expected) === lower(actual) },
};

/** Reads a `Condition` block; every clause must hold. `where` names the policy in errors. */
export function compileConditions(block: Json | undefined, where: string): Condition {
  if (block === undefined) return () => true;
  if (!isJsonObject(block)) throw new Error(`${where}: Condition is not an object`);
  const clauses = Object.entries(block).flatMap(([operator, keys]) =>
    Object.entries(asObject(keys)).map(([key, expected]) => {
      const holds = compileClause(operator, textsOf(expected), where);
      return (context: RequestContext) => holds(valuesOf(context, key));
    }),
  );
  return (context) => clauses.every((clause) => clause(context));
}

/** The values of a context key, or undefined if the request has none. */
function valuesOf(context: RequestContext, key: string): readonly string[] | undefined {
  const value = Object.entries(context).find(([name]) => lower(name) === lower(key))?.[1];
  return typeof value === 'string' ? [value] : value;
}

type Clause = (actual: readonly string[] | undefined) => boolean;

function compileClause(name: string, expected: readonly string[], where: string): Clause {
  const variable = expected.find((value) => value.includes('${'));
  if (variable !== undefined) throw new Error(`${where}: policy variables (${variable}) are not evaluated locally`);
  if (name === 'Null') return (actual) => (actual === undefined) === (expected[0]?.toLowerCase() === 'true');
  const isForAll = name.startsWith('ForAllValues:');
  const operator = operators[name.replace('ForAllValues:', '')];
  if (operator === undefined)
    throw new Error(`${where}: the condition operator ${name} is not known to the local runner`);
  const { test, isNegated = false } = operator;
  return (actual) =>
    actual === undefined
      ? isForAll || isNegated
      : actual.every((one) => expected.some((value) => test(value, one)) !== isNegated);
}
