import { type ColumnMapping, columnsOf, type ReadingOptions } from './columns/column-mapping.ts';
import { type DatasetVisitor, emptyFile, headLength } from './file/dataset-form.ts';
import { binaryKind, textKind } from './file/file-kinds.ts';
import { ofFile } from './file/file-findings.ts';
import { readJsonText } from './json/read-json.ts';
import { beginsJson } from './table/prompt-list.ts';
import { isTable, readTable } from './table/read-table.ts';
import { decodeText, type TextEncoding } from './file/text-encoding.ts';

/** Far more than a gateway takes, and half of what a text of Node can hold. */
const mostBytes = 256_000_000;

/**
 * Reads a text of prompts as people have it: a table, JSON in its forms, or a prompt a line.
 * It judges nothing.
 */
export function readDataset(file: Uint8Array, visitor: DatasetVisitor, options: ReadingOptions = {}): void {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const most = mostBytes.toLocaleString('en');
  const isTooLarge = bytes.length > mostBytes;
  const odd = isTooLarge ? `the file has more than ${most} bytes: split it` : binaryKind(bytes);
  if (odd !== undefined) return visitor.problem(ofFile(odd));
  const decoded = decodeText(bytes, options.encoding);
  if ('problem' in decoded)
    return visitor.problem(ofFile(`${decoded.problem}${options.mayQuote === true ? decoded.readings : ''}`));
  readText(decoded, visitor, options.mapping);
}

function readText(
  { text, encoding }: { readonly text: string; readonly encoding: TextEncoding },
  visitor: DatasetVisitor,
  mapping: ColumnMapping = {},
): void {
  const head = text.slice(0, headLength).trimStart();
  const isNamed = mapping.promptColumn !== undefined || mapping.labelColumn !== undefined;
  const context = { encoding, columns: columnsOf(mapping), isNamed };
  const isOther = (rest: string) => beginsJson(rest) || isTable(rest, { ...context, isNamed: false });
  const problem = head === '' ? emptyFile : (textKind(head) ?? commentProblem(text, isOther));
  if (problem !== undefined) return visitor.problem(ofFile(problem));
  if (beginsJson(head)) return readJsonText(text, context, visitor);
  readTable(text, context, visitor);
}

/** A line that begins as a comment does. Above prompts it is a prompt. */
const commentLine = /^\s{0,100}(?:\/\/|\/\*|#|--|<!--)[^\r\n]{0,10000}(?:\r\n|\n|\r|$)/;
const mostComments = 100;

/** Comments above another form than a list of prompts. */
function commentProblem(text: string, isOther: (rest: string) => boolean): string | undefined {
  let [at, lines] = [0, 0];
  for (; lines < mostComments; lines += 1) {
    const found = commentLine.exec(text.slice(at, at + headLength));
    if (found === null) break;
    at += found[0].length;
  }
  if (lines === 0 || !isOther(text.slice(at))) return undefined;
  const what = beginsJson(text.slice(at)) ? 'JSON' : 'a table';
  return lines === 1
    ? `the first line is a comment above ${what}, which has none: delete it`
    : `the first ${lines} lines are comments above ${what}, which has none: delete them`;
}
