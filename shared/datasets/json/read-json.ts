import { type DatasetVisitor, linesOf, mostRecordBytes, tooLong } from '../dataset-form.ts';
import { ofFile } from '../file-findings.ts';
import type { TextEncoding } from '../text-encoding.ts';

/** Reads JSON Lines: a value a line. */
export function readJsonLines(text: string, encoding: TextEncoding, visitor: DatasetVisitor): void {
  if (!visitor.begin({ kind: 'json-lines', encoding })) return;
  let line = 0;
  let row = 1;
  for (const found of linesOf(text)) {
    line += 1;
    if (found.length > mostRecordBytes) return visitor.problem(tooLong({ row, line }));
    if (found.trim() === '') continue;
    visitor.json(found, { row, line });
    row += 1;
  }
}

/**
 * Reads a JSON array element by element: never more than one is made. Its elements are found by
 * brackets, commas and texts. What is in them is not judged.
 */
export function readJsonArray(text: string, encoding: TextEncoding, visitor: DatasetVisitor): void {
  if (!visitor.begin({ kind: 'json-array', encoding })) return;
  let [depth, from, row, line] = [0, 0, 1, 1];
  for (const { sign, index } of signsOf(text)) {
    if (index - from > mostRecordBytes) return visitor.problem(tooLong({ row, line }));
    const step = steps[sign] ?? 0;
    depth += step;
    if (step > 0 && depth === 1) from = index + 1;
    if (step > 0 || depth !== step + 1) continue;
    const element = text.slice(from, index);
    const before = element.length - element.trimStart().length;
    if (isElement(sign, row, element))
      visitor.json(element.trim(), { row, line: line + breaksIn(element.slice(0, before)) });
    [from, row, line] = [index + 1, row + 1, line + breaksIn(element)];
    if (depth < 1) break;
  }
  const problem = endProblem(depth, text.slice(from));
  if (problem !== undefined) visitor.problem(ofFile(problem));
}

/** An empty array has no element. */
function isElement(sign: string, row: number, text: string): boolean {
  return sign === ',' || row > 1 || text.trim() !== '';
}

function endProblem(depth: number, rest: string): string | undefined {
  if (depth > 0) return 'the JSON array is never closed: is the file cut off?';
  return rest.trim() === '' ? undefined : 'something follows the JSON array';
}

/** How far a sign leads into lists and objects. */
const steps: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1, ',': 0 };

/** Brackets and commas that are not part of a text. */
function* signsOf(text: string): Generator<{ readonly sign: string; readonly index: number }> {
  let isInText = false;
  for (const { 0: sign, index } of text.matchAll(/\\[^]|["[\]{},]/g)) {
    if (sign === '"') isInText = !isInText;
    else if (!isInText && sign.length === 1) yield { sign, index };
  }
}

function breaksIn(text: string): number {
  return text.match(/\n/g)?.length ?? 0;
}
