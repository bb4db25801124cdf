/** The part of a document that a script writes. */
export interface MarkedPart {
  /** `<!-- name: made by … -->` before it, `<!-- end of name -->` behind it. */
  readonly name: string;
  readonly command: string;
}

/**
 * A document with another text between two marks.
 * @throws Error if the document has no such pair of marks
 */
export function replaceBetween(document: string, { name, command }: MarkedPart, text: string): string {
  const [begin, end] = [`<!-- ${name}: made by ${command} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the document lacks the marks ${begin} and ${end}`);
  return `${document.slice(0, from + begin.length)}\n\n${text}\n${document.slice(to)}`;
}
