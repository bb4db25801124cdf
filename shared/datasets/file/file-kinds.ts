/** First bytes of files that people take for a table of text, and what to do with each. */
const binaries: readonly (readonly [what: string, todo: string, mark: string | readonly number[]])[] = [
  ['an Excel workbook (.xlsx) or another ZIP file', 'save it as CSV UTF-8, or unpack it', 'PK\u0003\u0004'],
  ['an old Excel workbook (.xls)', 'save it as CSV UTF-8', [0xd0, 0xcf, 0x11, 0xe0]],
  ['compressed (gzip)', 'unpack it with gunzip', [0x1f, 0x8b]],
  ['compressed (bzip2)', 'unpack it with bunzip2', 'BZh'],
  ['compressed (Zstandard)', 'unpack it with zstd -d', [0x28, 0xb5, 0x2f, 0xfd]],
  ['compressed (xz)', 'unpack it with unxz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['compressed (7-Zip)', 'unpack it', [0x37, 0x7a, 0xbc, 0xaf]],
  ['compressed (RAR)', 'unpack it', 'Rar!'],
  ['a PDF document', 'take the table from its source, as CSV UTF-8', '%PDF'],
  ['a Parquet file', 'write it as CSV, in pandas with to_csv(index=False)', 'PAR1'],
  ['an Arrow file', 'write it as CSV, in pandas with read_feather(…).to_csv(index=False)', 'ARROW1'],
  ['an ORC file', 'write it as CSV, in pandas with read_orc(…).to_csv(index=False)', 'ORC'],
  ['an Avro file', 'write it as JSON Lines or CSV', 'Obj\u0001'],
  ['a SQLite database', 'export its table as CSV: sqlite3 -header -csv FILE "select …"', 'SQLite format 3\u0000'],
  ['an HDF5 file', 'write its table as CSV', [0x89, 0x48, 0x44, 0x46]],
  ['a NumPy array', 'write it as CSV', [0x93, 0x4e, 0x55, 0x4d]],
  ['a Rich Text document', 'save it as plain text, as CSV UTF-8', '{\\rtf'],
  ['an image (PNG)', 'take the table from its source', [0x89, 0x50, 0x4e, 0x47]],
];

/** The sentence about a file that its first bytes tell is no table of text; `undefined`: they do not. Pure. */
export function binaryKind(bytes: Uint8Array): string | undefined {
  const begins = (mark: Uint8Array | readonly number[]) => mark.every((byte: number, index) => bytes[index] === byte);
  const found = binaries.find(([, , mark]) => begins(typeof mark === 'string' ? Buffer.from(mark, 'latin1') : mark));
  if (found !== undefined) return `the file is ${found[0]}, not text: ${found[1]}`;
  // Protocols 2 to 5, each followed by the first instruction.
  const isPickle = bytes[0] === 0x80 && (bytes[1] ?? 0) >= 2 && (bytes[1] ?? 9) <= 5;
  return isPickle
    ? 'the file is a pickle of Python, not text: write it as CSV, in pandas with to_csv(index=False)'
    : undefined;
}

const texts: readonly (readonly [says: string, head: RegExp])[] = [
  [
    'the file is a pointer of Git LFS, not the file itself: fetch it with git lfs pull',
    /^version https:\/\/git-lfs\.github\.com\/spec\//,
  ],
  [
    'the file is a saved error page, not a table: download the file again',
    /^(?:[45]\d\d:? [A-Z][A-Za-z ]{2,30}|Not Found|Forbidden|Access ?Denied|Unauthorized|Too Many Requests)\s*$/,
  ],
  ['the file is a web page (HTML) or XML, not a table: download the file itself, or save it as CSV UTF-8', /^</],
  [
    'the file is a table in JSON written column by column: write it row by row, in pandas with to_json(orient="records")',
    /^\{\s*"[^"]*"\s*:\s*\{\s*"0"\s*:|^\{\s*"columns"\s*:\s*\[/,
  ],
  ['the file is in a code fence of Markdown: delete its first line and its last, which are the fence', /^(?:```|~~~)/],
];

/** The sentence about a text that its beginning tells is no table; `undefined`: it does not. Pure. */
export function textKind(head: string): string | undefined {
  const found = texts.find(([, pattern]) => pattern.test(head));
  if (found !== undefined) return found[0];
  return isYaml(head)
    ? 'the file looks like YAML: write its entries as CSV or JSON Lines, with a prompt and a label each'
    : undefined;
}

/** Several lines, each of them a key or an entry of a list, and the first of them a key. */
function isYaml(head: string): boolean {
  const lines = head.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^\s*#/.test(line));
  const keys = lines[0] === '---' ? lines.slice(1) : lines;
  const isKey = /^\s*(?:- )?["']?[\w-]+["']?:(?:\s|$)/;
  if (keys.length < 2 || !isKey.test(keys[0] ?? '')) return lines[0] === '---' && keys.length > 0;
  return keys.slice(0, -1).every((line) => isKey.test(line) || /^\s+\S|^\s*- /.test(line));
}
