/** The little Markdown that the runbook and the evidence use, as data. What it does not know stays a paragraph, as it was written. Pure. */
export type Block =
  | { readonly kind: 'heading' | 'paragraph' | 'quotation' | 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] };

/** A piece of a line. */
export interface Span {
  readonly kind: 'plain' | 'code' | 'strong';
  readonly text: string;
}

/** Splits a document at its blank lines; code is fenced or indented by four spaces. */
export function blocksOf(markdown: string): readonly Block[] {
  const pieces = markdown.replaceAll('\r\n', '\n').split(/(?<fence>^```[^\n]*\n[\s\S]*?^```[^\n]*$)/m);
  return pieces.flatMap((piece) => {
    if (piece.startsWith('```')) return [{ kind: 'code', text: piece.replaceAll(/^```[^\n]*\n?/gm, '').trimEnd() }];
    return piece
      .split(/\n\s*\n/)
      .filter((part) => part.trim() !== '')
      .flatMap(blockOf);
  });
}

function blockOf(part: string): Block[] {
  const lines = part.split('\n').filter((line) => line.trim() !== '');
  if (lines.every((line) => line.startsWith('    '))) {
    return [{ kind: 'code', text: lines.map((line) => line.slice(4)).join('\n') }];
  }
  const [first = '', ...rest] = lines;
  const heading = /^#{1,6} (?<text>.*)$/.exec(first)?.groups?.text;
  if (heading !== undefined) {
    return [{ kind: 'heading', text: heading }, ...(rest.length === 0 ? [] : blockOf(rest.join('\n')))];
  }
  if (lines.every((line) => line.startsWith('> '))) {
    return [{ kind: 'quotation', text: lines.map((line) => line.slice(2)).join(' ') }];
  }
  const items = itemsOf(lines);
  return [items === undefined ? { kind: 'paragraph', text: lines.join(' ') } : { kind: 'list', items }];
}

/** The items of a list; undefined if the first line begins none. A line that begins no item goes on with the last. */
function itemsOf(lines: readonly string[]): readonly string[] | undefined {
  const begin = /^\s*(?:[-*]|\d+\.) (?<text>.*)$/;
  if (!begin.test(lines[0] ?? '')) return undefined;
  return lines.reduce<string[]>((items, line) => {
    const text = begin.exec(line)?.groups?.text;
    return text === undefined ? [...items.slice(0, -1), `${items.at(-1) ?? ''} ${line.trim()}`] : [...items, text];
  }, []);
}

/** Code and strong words of a line; links keep their words. */
export function spansOf(text: string): readonly Span[] {
  return text
    .split(/(?<span>`[^`]+`|\*\*[^*]+\*\*)/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part.startsWith('`') && part.length > 1) return { kind: 'code', text: part.slice(1, -1) };
      if (part.startsWith('**') && part.length > 4) return { kind: 'strong', text: part.slice(2, -2) };
      return { kind: 'plain', text: part.replaceAll(/\[(?<words>[^\]]+)\]\([^)]*\)/g, '$<words>') };
    });
}
