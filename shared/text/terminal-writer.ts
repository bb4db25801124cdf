import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import { visibleText } from './visible-text.ts';
import { wrapLine } from './wrap-line.ts';

/** The few styles that the texts use. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Puts a text in a style, or leaves it as it is if colours are not wanted. What it returns is for the writer that it belongs to. */
export type Paint = (style: Style, text: string) => string;

/** The one way to a terminal, a pipe or a file that a person reads. */
export interface TerminalWriter {
  readonly paint: Paint;
  /**
   * Writes lines. Whatever a line holds, it begins no line of its own, and no control character leaves but those of `paint`. On a terminal,
   * a line that is wider is broken between words.
   */
  readonly writeLines: (lines: readonly string[]) => void;
}

/** No styles at all. */
export const plain: Paint = (_style, text) => text;

const between = '|';

/**
 * Makes the writer of one stream. Texts are encoded here, where they leave, so no line needs to know which of its words came from others.
 * @param mark - stands around the codes of `paint` until they leave; it is random, so no text can pass a code of its own, and no letter is
 *   at its ends, so a word beside it still ends there
 */
export function createTerminalWriter(stream: NodeJS.WriteStream, mark = `<${randomUUID()}>`): TerminalWriter {
  return {
    paint(style, text) {
      // Nothing for files and pipes, and if NO_COLOR is set.
      const [begin = '', end = ''] = styleText(style, between, { stream }).split(between);
      return begin === '' ? text : `${mark}${begin}${mark}${text}${mark}${end}${mark}`;
    },
    writeLines(lines) {
      const encoded = lines.map((line) => encodedLine(line, mark));
      const shown = stream.isTTY ? encoded.flatMap((line) => wrapLine(line, stream.columns || Infinity)) : encoded;
      stream.write(shown.map((line) => `${line}\n`).join(''));
    },
  };
}

/** What stands between two marks is a code of `paint`. */
function encodedLine(line: string, mark: string): string {
  return line
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? visibleText(part) : part))
    .join('');
}
