import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Documents that people write; the decision records and what is copied elsewhere are not counted. */
const counted = /^(?:(?:README|CONTRIBUTING|SECURITY)\.md|gateway\/README\.md|docs\/(?:reference\/)?[^/]+\.md)$/;

/** A part that a command writes: between two marks, or the quoted line of a page of the runbook. */
const madePart = /<!-- [^>]*(?:made by|written by)[^>]*-->[\s\S]*?<!-- end of [^>]*-->|(?<=^### \S+\n\n)> .*$/gm;

/** The words of a document that a person wrote; a mark of a table or a list is none. */
function wordsByHand(path: string, text: string): number {
  if (!counted.test(path)) return 0;
  return text
    .replaceAll(madePart, '')
    .split(/\s+/)
    .filter((word) => /[A-Za-z0-9]/.test(word)).length;
}

/** The words of each document by hand as `path (words)`, the longest first, and their sum. */
export async function documentsByHand(root: string, paths: readonly string[]) {
  const read = async (path: string) => ({ path, words: wordsByHand(path, await readFile(join(root, path), 'utf8')) });
  const documents = (await Promise.all(paths.filter((path) => counted.test(path)).map(read)))
    .filter(({ words }) => words > 0)
    .toSorted((a, b) => b.words - a.words);
  return {
    words: documents.reduce((sum, document) => sum + document.words, 0),
    documents: documents.map(({ path, words }) => `${path} (${words})`),
  };
}
