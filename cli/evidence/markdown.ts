import { printable } from '#operator/readable.ts';

/** The little Markdown that a document is made of. Texts of others are escaped: none of them can be taken for a part of the document. Pure. */

/** A text in the flow or in a cell, escaped: any person may have written it. */
export function text(words: string): string {
  return printable(words).replaceAll(/[\\`*[\]<>|~#]/g, String.raw`\$&`);
}

/** A name, an id or an instant as it is. */
export function code(words: string): string {
  const line = printable(words).replaceAll('|', String.raw`\|`);
  return line.includes('`') ? text(words) : `\`${line}\``;
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
