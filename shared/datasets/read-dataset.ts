import { type ColumnMapping, columnsOf } from './columns/column-mapping.ts';
import { type DatasetVisitor, emptyFile, headLength } from './dataset-form.ts';
import { binaryKind, textKind } from './file-kinds.ts';
import { ofFile } from './file-findings.ts';
import { readJsonArray, readJsonLines } from './json/read-json.ts';
import { readTable } from './table/read-table.ts';
import { decodeText, type TextEncoding } from './text-encoding.ts';

/** How a file is read, beside what the file itself tells. */
export interface ReadingOptions {
  /** The encoding that a person names, for a text without a mark. */
  readonly encoding?: TextEncoding;
  readonly mapping?: ColumnMapping;
  /** The findings stay with the person who has the file: they may quote it. */
  readonly mayQuote?: boolean;
}

/** How a rule reads the files that it converts. */
export interface RuleConversion extends ColumnMapping {
  readonly encoding?: TextEncoding;
}

/** Far more than a gateway takes, and half of what a text of Node can hold. */
const mostBytes = 256_000_000;

/**
 * Reads a file of prompts as people have it: a table, JSON Lines, a JSON array, or a prompt a line.
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
  const { text, encoding } = decoded;
  const head = text.slice(0, headLength).trimStart();
  const problem = head === '' ? emptyFile : textKind(head);
  if (problem !== undefined) return visitor.problem(ofFile(problem));
  if (head.startsWith('[')) return readJsonArray(text, encoding, visitor);
  if (head.startsWith('{')) return readJsonLines(text, encoding, visitor);
  return readTable(text, { encoding, columns: columnsOf(options.mapping ?? {}) }, visitor);
}
