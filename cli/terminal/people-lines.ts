import type { Paint } from '#shared/text/terminal-writer.ts';
import { type Invocation, pasteable } from './pasteable.ts';
import { noteLines, type When } from './times.ts';

/** How the lines of a terminal are made for the person who reads it. */
export interface Reader {
  readonly invocation: Invocation;
  readonly when: When;
  readonly paint: Paint;
}

/**
 * The lines as a person at a terminal reads them: commands can be pasted, and the instants in sentences are local and relative. Screens write most
 * instants themselves; a sentence of the ledger or of a worker has them in UTC. If only sentences have instants, a last line names the zone.
 */
export function peopleLines(lines: readonly string[], { invocation, when, paint }: Reader): readonly string[] {
  const shown = lines.map((line) => localInstants(line, when));
  const isChanged = shown.some((line, index) => line !== lines[index]);
  const isNoted = lines.some((line) => line.includes(when.note));
  return [
    ...shown.map((line) => pasteable(line, invocation)),
    ...(isChanged && !isNoted ? noteLines(when, paint) : []),
  ];
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

/**
 * Writes the instants of a sentence in the way of a screen; a command in it stays as it is.
 * @example localInstants('closed until 2026-11-20T22:00:00.000Z', when) // 'closed until 22:00, in 2 h'
 */
export function localInstants(line: string, { at, note }: Pick<When, 'at' | 'note'>): string {
  // A file keeps UTC, and every sentence as it is.
  if (note === '') return line;
  const local = (text: string) =>
    text.replaceAll(standing, (_whole, code: string | undefined, word: string) => at(code ?? word));
  const [command = ''] = toPaste.exec(line) ?? [];
  const begin = command === '' ? line.length : line.indexOf(command);
  return `${local(line.slice(0, begin))}${command}${local(line.slice(begin + command.length))}`;
}
