import { visibleText } from '#shared/text/visible-text.ts';

/** The little Markdown that a document is made of. Texts of others are escaped: none of them can be taken for a part of the document. Pure. */

/** What ends a cell or begins HTML, by its entity: readers of tables differ about backslashes, and none takes an entity for structure. */
const entities: Readonly<Record<string, string>> = { '|': '&#124;', '<': '&lt;', '>': '&gt;', '&': '&amp;' };

/**
 * A text in the flow, in a list or in a cell, escaped: any person may have written it. Nothing in it is a mark-up, and no address in it becomes
 * a link. An underscore inside a word means nothing to Markdown and stays as it is.
 */
export function text(words: string): string {
  return visibleText(words)
    .replaceAll(/[\\`*[\]~#]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/)|(?<=www)\.|@/giu, String.raw`\$&`)
    .replaceAll(/[|<>&]/g, (char) => entities[char] ?? char)
    .replace(/^\s+/, '')
    .replace(/^(?:[-+=]|\d+(?=[.)]))/, beginning);
}

/** At the start of a line these begin a list or a rule. */
function beginning(mark: string): string {
  return /\d/.test(mark) ? `${mark}\\` : `\\${mark}`;
}

/** A name, an id or an instant as it is. */
export function code(words: string): string {
  const line = visibleText(words);
  // Code has no escapes, and its cell would end at a pipe.
  return line === '' || /[`|]/.test(line) ? text(words) : `\`${line}\``;
}

/** A table; its cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** A list. */
export function bullets(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `- ${line}`);
}

/** A section with its heading; its parts stand apart. */
export function section(heading: string, ...parts: readonly (readonly string[])[]): readonly string[] {
  return [`## ${heading}`, ...parts.flatMap((part) => (part.length === 0 ? [] : ['', ...part])), ''];
}
