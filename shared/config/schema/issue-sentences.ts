import type * as z from 'zod';
import { type ConfigProblem, formatPath } from '../config-problem.ts';
import { didYouMean } from '../../text/did-you-mean.ts';

type Issue = z.core.$ZodIssue;

const wantedTypes: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
};

/** What the schema found, in sentences; parse with `reportInput`, so that what is there can be said. */
export function problemsOf(issues: readonly Issue[]): ConfigProblem[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const sentences = issue.message.split('\n');
      return issue.keys.map((key, index) => ({
        path: formatPath([...issue.path, key]),
        message: sentences[index] ?? 'is not a key here',
      }));
    }
    // The key that was refused stands in the sentence already and would not be found under its own name.
    if (issue.code === 'invalid_key') {
      const parent = formatPath(issue.path.slice(0, -1));
      return issue.issues.map(({ message }) => ({ path: parent, message }));
    }
    return [{ path: formatPath(issue.path), message: sentenceOf(issue) }];
  });
}

function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return notWanted(issue.input, wantedOf(issue));
    case 'invalid_union':
      return notWanted(issue.input, 'a text, a number, true or false, or a list of texts');
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
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list';
  switch (typeof input) {
    case 'string':
      return `"${input}"`;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(input);
    case 'object':
      return 'an object';
    default:
      return `a ${typeof input}`;
  }
}
