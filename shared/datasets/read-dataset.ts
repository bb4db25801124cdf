import { type ColumnMapping, columnsOf, type KnownColumns } from './column-mapping.ts';
import { type DatasetVisitor, emptyFile, lineBreak } from './dataset-form.ts';
import { binaryKind, startBytes, textKind } from './file-kinds.ts';
import { ofFile } from './file-findings.ts';
import { readJsonArray, readJsonLines } from './read-json.ts';
import { readTable, type TextWithHead } from './read-table.ts';
import { asUtf8, type TextEncoding, textMark, UndecodableError } from './text-encoding.ts';

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

/**
 * Reads a file of prompts as people have it, piece by piece: a table, JSON Lines, a JSON array, or a prompt a line. It judges nothing.
 * Beside the piece in hand it holds one record.
 * @throws the errors of reading the file
 */
export async function readDataset(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  visitor: DatasetVisitor,
  options: ReadingOptions = {},
): Promise<void> {
  const bytes = await peek(chunks, (found) => found.length >= startBytes);
  const binary = binaryKind(bytes.first);
  if (binary !== undefined) return visitor.problem(ofFile(binary));
  const mark = textMark(bytes.first);
  const encoding = mark?.encoding ?? options.encoding ?? 'utf-8';
  try {
    const text = await peek(asUtf8(withoutMark(bytes.all, mark?.bytes ?? 0), encoding), hasSomeLines);
    await readText(text, encoding, { visitor, columns: columnsOf(options.mapping ?? {}) });
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    const readings = options.mayQuote === true ? error.readings : '';
    visitor.problem(ofFile(`${error.message}${readings}; nothing behind it was read`));
  }
}

async function readText(
  text: TextWithHead,
  encoding: TextEncoding,
  { visitor, columns }: { readonly visitor: DatasetVisitor; readonly columns: KnownColumns },
): Promise<void> {
  const head = text.first.toString().trimStart();
  const problem = head === '' ? emptyFile : textKind(head);
  if (problem !== undefined) return visitor.problem(ofFile(problem));
  if (head.startsWith('[')) return readJsonArray(text.all, encoding, visitor);
  if (head.startsWith('{')) return readJsonLines(text.all, encoding, visitor);
  return readTable(text, { encoding, columns }, visitor);
}

/** Enough to know a header, what stands between its columns, and a list. */
const mostHeadBytes = 65_536;
const mostHeadLines = 20;

function hasSomeLines(found: Buffer): boolean {
  return found.length >= mostHeadBytes || found.toString('latin1').trimStart().split(lineBreak).length > mostHeadLines;
}

/** Looks at the beginning of a stream without taking it away. */
async function peek<Bytes extends Uint8Array>(
  chunks: AsyncIterable<Bytes> | Iterable<Bytes>,
  isEnough: (found: Buffer) => boolean,
): Promise<{ readonly first: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const rest = asyncIteratorOf(chunks);
  let first: Buffer = Buffer.alloc(0);
  while (!isEnough(first)) {
    const next = await rest.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  return { first, all: joined(first, rest) };
}

async function* asyncIteratorOf<Bytes>(chunks: AsyncIterable<Bytes> | Iterable<Bytes>): AsyncGenerator<Bytes> {
  yield* chunks;
}

async function* joined(first: Buffer, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Buffer> {
  yield first;
  for await (const chunk of rest) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

async function* withoutMark(chunks: AsyncIterable<Buffer>, markBytes: number): AsyncGenerator<Buffer> {
  let left = markBytes;
  for await (const chunk of chunks) {
    yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
