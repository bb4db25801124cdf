/** Texts that a person reads: an age, a row of a table, a sentence with instants. */
import { csvField } from '#shared/text/csv-field.ts';

/** How long ago, or how long: `45 s`, `12 min`, `3 h 5 min`, `2 days`. */
export function roughly(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60)
    return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

/** `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A row of CSV. What a spreadsheet takes for a formula gets a quote before it: a name or a reason may begin with a sign. */
export function csvRow(cells: readonly (string | number | undefined)[]): string {
  const texts = cells.map((cell) => String(cell ?? '')).map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text));
  return texts.map(csvField).join(',');
}

/** RFC 3339 in UTC, as rows and sentences have it. */
const instant = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`;

/**
 * An instant that stands as a word, also beside the code of a style, or alone between the marks of code. Not a part of an id, a key or a quotation,
 * and no value of an option.
 */
const standing = new RegExp(
  String.raw`\`(${instant})\`|(?<=^|[\s(>])(?<!--[\w-]+:? )(${instant})(?=$|[\s),;:|<]|\.(?!\w))`,
  'g',
);

/** A command to paste. */
const toPaste = /\b(?:autopilot|aws) (?:--?\w|[a-z0-9]+\b)[^;]*/;

/** A piece of a sentence: text, or an instant. */
export type SentencePart = string | { readonly at: string };

/**
 * Takes the instants out of a sentence of the ledger or of a worker, so that a screen can write
 * them in its own way. A command in it stays as it is.
 * @example sentenceParts('closed until 2026-11-20T22:00:00.000Z') // ['closed until ', { at: '2026-11-20T22:00:00.000Z' }]
 */
export function sentenceParts(line: string): readonly SentencePart[] {
  const [command = ''] = toPaste.exec(line) ?? [];
  const begin = command === '' ? line.length : line.indexOf(command);
  return [...partsOf(line.slice(0, begin)), command, ...partsOf(line.slice(begin + command.length))].filter(
    (part) => part !== '',
  );
}

/** Of a text without a command. A split gives each text, and behind it the two groups of the instant that follows. */
function partsOf(text: string): readonly SentencePart[] {
  const pieces: readonly (string | undefined)[] = text.split(standing);
  return pieces.flatMap((piece, index) => (piece === undefined ? [] : [index % 3 === 0 ? piece : { at: piece }]));
}

/**
 * Writes the instants of a sentence in the way of a screen.
 * @example withInstants('closed until 2026-11-20T22:00:00.000Z', clockTime) // 'closed until 22:00'
 */
export function withInstants(line: string, write: (instant: string) => string): string {
  return sentenceParts(line)
    .map((part) => (typeof part === 'string' ? part : write(part.at)))
    .join('');
}
