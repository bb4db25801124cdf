import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters, styleText } from 'node:util';
import { visibleText } from './visible-text.ts';

/** The few styles that the texts use. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Puts a text in a style, or leaves it as it is if colours are not wanted. What it returns is for the writer that it belongs to. */
export type Paint = (style: Style, text: string) => string;

/** The one way to a terminal, a pipe or a file that a person reads. */
export interface TerminalWriter {
  readonly paint: Paint;
  /**
   * Writes lines. No line begins another line, and no control character leaves but those of
   * `paint`. On a terminal, a line that is wider is broken between words.
   * @param most - lines that fit; of the rest, one line says how many there are @default all of
   *   them
   */
  readonly writeLines: (lines: readonly string[], most?: number) => void;
}

/** No styles at all. */
export const plain: Paint = (_style, text) => text;

const between = '|';

/**
 * Makes the writer of one stream. Texts are encoded here, when they leave, so no line needs to know
 * which of its words came from others.
 * @param mark - surrounds the codes of `paint` until they are written. It is random, so no text can
 *   inject a code. It begins and ends with no letter, so words still end beside it
 */
export function createTerminalWriter(stream: NodeJS.WriteStream, mark = `<${randomUUID()}>`): TerminalWriter {
  return {
    paint(style, text) {
      // Nothing for files and pipes, and if NO_COLOR is set.
      const [begin = '', end = ''] = styleText(style, between, { stream }).split(between);
      return begin === '' ? text : `${mark}${begin}${mark}${text}${mark}${end}${mark}`;
    },
    writeLines(lines, most = Infinity) {
      const encoded = lines.map((line) => encodedLine(line, mark));
      const shown = stream.isTTY ? encoded.flatMap((line) => wrapLine(line, stream.columns || Infinity)) : encoded;
      stream.write(
        cutTo(shown, most)
          .map((line) => `${line}\n`)
          .join(''),
      );
    },
  };
}

function cutTo(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const fits = Math.max(0, most - 1);
  return [...lines.slice(0, fits), `… ${lines.length - fits} more lines: a taller terminal shows them`];
}

/** What stands between two marks is a code of `paint`. */
function encodedLine(line: string, mark: string): string {
  return line
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? visibleText(part) : part))
    .join('');
}

/** If a line is no row of a table, it goes on this far to the right of its own indentation. */
const hangingIndent = 4;

/** A line narrower than this is not wrapped: the terminal does it. */
const narrowest = 40;

/** A command in the midst of a sentence. */
const inBackticks = /`(?:npx (?:--no -- )?)?(?:autopilot|aws) [^`]*`/g;

/** From a command to paste to the end of its line: broken in the middle, it could not be pasted. */
const unbreakable =
  /\b(?:(?:npx (?:--no -- )?)?autopilot (?:--?\w|[a-z]+\b)|(?:(?<!\S)[A-Z_]+=\S+ )?aws [a-z0-9]+ [a-z]+(?:-[a-z0-9]+)* ).*$/s;

/** The spaces of `in 9 h 37 min` and `2 days ago`, which are read in one look. */
const insideDistance =
  /(?<=in) (?=\d+ (?:s|min|h|days)\b)|(?<=\d) (?=(?:s|min|h|days)\b)|(?<=\d h) (?=\d+ min\b)|(?<=\d (?:s|min|h|days)) (?=ago\b)/g;

/** Stands for such a space while a line is broken. No line that is written holds a NUL. */
const noBreak = '\0';

/**
 * Breaks a line between words. A word that is wider stays whole, and so do a command to paste and a
 * distance in time.
 * @param line - may hold the codes of styles, which have no width
 * @param width - columns of the terminal
 */
export function wrapLine(line: string, width: number): readonly string[] {
  if (width < narrowest || widthOf(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0].length ?? 0;
  const hang = lastColumnOf(line, width) ?? indent + hangingIndent;
  const lines: string[] = [];
  let current = ' '.repeat(indent);
  let gap = '';
  for (const piece of piecesOf(line.slice(indent))) {
    if (piece.trim() === '') {
      gap = piece;
      continue;
    }
    if (widthOf(current + gap + piece) <= width || current.trim() === '') current += gap + piece;
    else {
      lines.push(current);
      // A command that is too wide for its column begins further to the left.
      current = ' '.repeat(hang + widthOf(piece) <= width ? hang : indent + hangingIndent) + piece;
    }
    gap = '';
  }
  return [...lines, current];
}

/** The start of a row's last column, if it is in the left half of the terminal. */
function lastColumnOf(line: string, width: number): number | undefined {
  const left = stripVTControlCharacters(line).slice(0, width / 2);
  const gap = [...left.matchAll(/(?<=\S) {2,}(?=\S)/g)].at(-1);
  return gap === undefined ? undefined : gap.index + gap[0].length;
}

/** Words and the gaps between them, in turn. */
function piecesOf(line: string): readonly string[] {
  const whole = line.replaceAll(inBackticks, (command) => command.replaceAll(' ', noBreak));
  const [command = ''] = unbreakable.exec(whole) ?? [];
  const before = command === '' ? whole : whole.slice(0, -command.length);
  const words = before.replaceAll(insideDistance, noBreak).split(/( +)/);
  return [...words, command].filter((piece) => piece !== '').map((piece) => piece.replaceAll(noBreak, ' '));
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
