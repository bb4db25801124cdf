import { StringDecoder } from 'node:string_decoder';
import { type DatasetVisitor, emptyFile, lineBreak, mostRecordBytes, tooLong } from './dataset-form.ts';
import { ofFile } from './file-findings.ts';
import { readTable } from './read-table.ts';
import { asUtf8, startBytes, type TextEncoding, textStart, UndecodableError } from './text-encoding.ts';

/**
 * Reads a file of prompts as people have it, piece by piece: comma, semicolon or tab, UTF-8 or
 * UTF-16 by its mark, JSON Lines. It judges nothing. Beside the piece in hand it holds one record.
 * @param named - the encoding that a person names, for a text without a mark
 * @throws the errors of reading the file
 */
export async function readDataset(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  visitor: DatasetVisitor,
  named?: TextEncoding,
): Promise<void> {
  const bytes = await peek(chunks, (found) => found.length >= startBytes);
  const start = textStart(bytes.first);
  if (start.kind === 'binary') {
    return visitor.problem(ofFile(`the file is ${start.what}, not text: save it as CSV UTF-8`));
  }
  const encoding = start.markBytes === 0 ? (named ?? start.encoding) : start.encoding;
  try {
    const text = await peek(asUtf8(withoutMark(bytes.all, start.markBytes), encoding), hasTwoLines);
    const head = text.first.toString().trimStart();
    if (head === '') return visitor.problem(ofFile(emptyFile));
    const form = otherForm(head);
    if (form !== undefined) return visitor.problem(ofFile(form));
    if (head.startsWith('{')) await readLines(text.all, encoding, visitor);
    else await readTable(text, encoding, visitor);
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    visitor.problem(ofFile(`${error.message}; nothing behind it was read`));
  }
}

/** A text that is no table and no JSON Lines, by its first character. */
function otherForm(head: string): string | undefined {
  if (head.startsWith('[')) return 'the file is a JSON array: write one object a line (JSON Lines)';
  if (head.startsWith('<'))
    return 'the file is a web page (HTML) or XML, not a table: download the file itself, or save it as CSV UTF-8';
  return undefined;
}

/** Enough to know a header and what stands between its columns. */
const mostHeadBytes = 65_536;

function hasTwoLines(found: Buffer): boolean {
  return found.length >= mostHeadBytes || found.toString('latin1').trimStart().split(lineBreak).length > 2;
}

async function readLines(text: AsyncGenerator<Buffer>, encoding: TextEncoding, visitor: DatasetVisitor): Promise<void> {
  if (!visitor.begin({ kind: 'json-lines', encoding })) return;
  let row = 1;
  let line = 0;
  for await (const found of linesOf(text)) {
    line += 1;
    if (found.length > mostRecordBytes) return visitor.problem(tooLong({ row, line }));
    if (found.trim() === '') continue;
    // Each of its lines would be a problem.
    if (row === 1 && found.trim() === '{') {
      return visitor.problem(ofFile('the file is JSON over several lines: write one object a line (JSON Lines)'));
    }
    visitor.line(found, { row, line });
    row += 1;
  }
}

/** The lines of a text; one that is too long is given as far as it was read. */
async function* linesOf(text: AsyncGenerator<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder();
  let rest = '';
  for await (const piece of text) {
    const lines = `${rest}${decoder.write(piece)}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > mostRecordBytes) return yield rest;
  }
  yield rest;
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
