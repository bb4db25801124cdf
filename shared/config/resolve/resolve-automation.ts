import type * as z from 'zod';
import { didYouMean } from '../../text/did-you-mean.ts';
import type { AutomationDocument } from '../automation.ts';
import type { ReadText } from '../schema/ca-bundle.ts';
import { type ConfigProblem, formatPath, stagePattern, stageRule } from '../schema/names.ts';
import { configWarnings } from '../references/config-warnings.ts';
import { crossReferenceProblems } from '../references/cross-references.ts';
import { scheduleWarnings } from './schedule-warnings.ts';
import { automationSchema } from '../schema/automation-schema.ts';
import { resolveDocument } from './resolve-document.ts';
import type { ResolvedAutomation } from './resolved-automation.ts';

/** What a stage's document comes to: everything that ships, or everything that is wrong. */
export type AutomationResult =
  | { readonly ok: true; readonly automation: ResolvedAutomation; readonly warnings: readonly ConfigProblem[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/**
 * Checks a stage's document and makes the one that ships of it. Every problem is reported at once,
 * with its path and what would be right.
 */
export function resolveAutomation(
  stage: string,
  document: unknown,
  options: {
    readonly isLocalStage: boolean;
    /** The stage runs on one machine against a gateway that a person named: it may be there too. @default false */
    readonly isGatewayNamed?: boolean | undefined;
    readonly now: Date;
    /** For the files that the document names. @default none can be read */
    readonly readText?: ReadText;
  },
): AutomationResult {
  const { isLocalStage, isGatewayNamed = false } = options;
  const schema = automationSchema({ ...options, isLocalStage: isLocalStage || isGatewayNamed });
  const sections = Object.keys(schema.shape);
  const parsed = schema.safeParse(document, { reportInput: true });
  const problems = [
    ...(stagePattern.test(stage) ? [] : [{ path: '', message: `"${stage}" cannot name a stage: ${stageRule}.` }]),
    ...(parsed.success ? [] : problemsOf(parsed.error.issues)),
    ...crossReferenceProblems(document, options.now),
  ];
  if (problems.length > 0 || !parsed.success) return { ok: false, problems: inDocumentOrder(problems, sections) };
  const automation = resolveDocument(stage, parsed.data, options);
  // What people wrote is judged, and not what a default made of it.
  const warnings = [
    ...configWarnings(document as AutomationDocument, options),
    ...scheduleWarnings(automation, options.now),
  ];
  return { ok: true, automation, warnings: inDocumentOrder(warnings, sections) };
}

/** By section, then as found: people correct a file from its top. */
function inDocumentOrder(problems: readonly ConfigProblem[], sections: readonly string[]): ConfigProblem[] {
  const rankOf = ({ path }: ConfigProblem) => {
    const index = ['', ...sections].indexOf(path.split(/[.[]/)[0] ?? '');
    return index === -1 ? sections.length + 1 : index;
  };
  return problems.toSorted((a, b) => rankOf(a) - rankOf(b));
}

type Issue = z.core.$ZodIssue;

const wantedTypes: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** What the schema found, in sentences; parse with `reportInput`, so that what is there can be said. */
function problemsOf(issues: readonly Issue[]): ConfigProblem[] {
  return issues.flatMap((issue) => {
    // The key that was refused stands in the sentence already and would not be found under its own name.
    if (issue.code === 'invalid_key') {
      const parent = formatPath(issue.path.slice(0, -1));
      return issue.issues.map(({ message }) => ({ path: parent, message }));
    }
    // A list of which one item is wrong fits the list, and not the text that could stand in its place.
    const within =
      issue.code === 'invalid_union' ? issue.errors.find((one) => one.some(({ path }) => path.length > 0)) : undefined;
    if (within !== undefined) return problemsOf(within.map((one) => ({ ...one, path: [...issue.path, ...one.path] })));
    return [{ path: formatPath(issue.path), message: sentenceOf(issue) }];
  });
}

const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** What each of the forms of a setting is, in words. */
function formsOf({ errors }: Extract<Issue, { code: 'invalid_union' }>): string {
  const forms = errors.flatMap(([first]) => {
    if (first?.code === 'invalid_type') return [wantedOf(first)];
    return first?.code === 'invalid_value' ? first.values.map(String) : [];
  });
  return oneOf.format(new Set(forms));
}

function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return notWanted(issue.input, wantedOf(issue));
    case 'invalid_union':
      return notWanted(issue.input, formsOf(issue));
    case 'invalid_format':
      return typeof issue.input === 'string' ? issue.message : notWanted(issue.input, 'a text');
    case 'invalid_value': {
      const values = issue.values.map(String);
      const guess = typeof issue.input === 'string' ? didYouMean(issue.input, values) : '';
      return `${notWanted(issue.input, `one of ${values.map((value) => `"${value}"`).join(', ')}`)}${guess}`;
    }
    default:
      return issue.message;
  }
}

/** Our own schemas say what is wanted; for those of zod it is a type. */
function wantedOf({ expected, message }: Extract<Issue, { code: 'invalid_type' }>): string {
  return message.startsWith('Invalid input') ? (wantedTypes[expected] ?? expected) : message;
}

/** @param wanted - what, and on a second line an example of it */
function notWanted(input: unknown, wanted: string): string {
  const [what = '', example] = wanted.split('\n');
  const suchAs = example === undefined ? '' : `, such as ${example}`;
  const sentence = input === undefined ? `is missing: ${what} is wanted` : `is ${shown(input)} where ${what} is wanted`;
  return `${sentence}${suchAs}`;
}

function shown(input: unknown): string {
  if (typeof input === 'string') return `"${input}"`;
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'object' && input !== null) return 'an object';
  return typeof input === 'function' || typeof input === 'symbol' ? `a ${typeof input}` : String(input);
}
