/** A record that is too long to be held, and the line that it begins on. */
export class RecordTooLongError extends Error {
  readonly line: number;

  constructor(line: number, mostBytes: number) {
    super(`the row that begins on line ${line} is longer than ${mostBytes.toLocaleString('en')} bytes`);
    this.line = line;
  }
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Passes the pieces of a CSV text on, as long as each record is short. A parser holds a whole record, and a field for each comma in it: 9.9 MB of
 * commas took a function of 512 MB to 600. Commas and line breaks between quotes belong to a field, so quotes are counted.
 * @throws RecordTooLongError before the piece is passed on that makes a record longer than `mostBytes`
 */
export async function* boundedRecords(chunks: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Buffer> {
  let line = 1;
  let beginsOn = 1;
  let length = 0;
  let isQuoted = false;
  let last = 0;
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      length += 1;
      if (byte === quote) isQuoted = !isQuoted;
      const isBreak = byte === lineFeed || byte === carriageReturn;
      // CR LF is one line break.
      if (isBreak && !(byte === lineFeed && last === carriageReturn)) line += 1;
      last = byte;
      if (isBreak && !isQuoted) {
        length = 0;
        beginsOn = line;
      }
      if (length > mostBytes) throw new RecordTooLongError(beginsOn, mostBytes);
    }
    yield chunk;
  }
}
