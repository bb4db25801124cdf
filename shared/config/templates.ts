import { type Parsed, parsed, problem } from '../schedule/parsed.ts';

/** What the templates of a dataset rule may name. */
export const datasetPlaceholders = ['bucket', 'key', 'stem', 'versionId', 'etag'] as const;

/** What the name of a run may name. */
export const runNamePlaceholders = ['date'] as const;

/** Checks that a template names only what it will be given. */
export function parseTemplate(text: string, known: readonly string[]): Parsed<string> {
  const list = known.map((name) => `{${name}}`).join(' ');
  if (text.trim() === '') return problem(`is empty; write a text that may hold ${list}.`);
  const unknown = [...text.matchAll(/\{([^{}]*)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const named = unknown.map((name) => `{${name}}`).join(' ');
    return problem(`"${text}" names ${named}, which nothing fills; known here: ${list}.`);
  }
  if (/[{}]/.test(text.replaceAll(/\{[^{}]*\}/g, ''))) {
    return problem(`"${text}" has a brace that belongs to no placeholder; known here: ${list}.`);
  }
  return parsed(text);
}
