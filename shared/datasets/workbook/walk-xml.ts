/** The parts of a workbook are XML: they are read piece by piece, so that no part is in memory twice. */
import { Parser } from 'saxen';

/** The value of an attribute, by its name without a prefix. */
export type Attribute = (name: string) => string | undefined;

/** The names of the elements around a place, the outermost first. */
type Path = readonly string[];

/** An element of a document, as it is met. Names have no prefix. */
export interface XmlVisitor {
  readonly open?: (name: string, attribute: Attribute, path: Path) => void;
  readonly close?: (name: string) => void;
  /** One text may come in several parts. */
  readonly text?: (text: string, path: Path) => void;
  /** Returns true if the rest is not wanted. */
  readonly isDone?: () => boolean;
}

/** So many bytes are a string at once. */
const pieceBytes = 262_144;
/** A tag or a text that no piece ends is looked at again with each one. A cell has at most 32,767 characters. */
const longestToken = 2 * pieceBytes;
/** A sheet has some ten levels. */
const mostDepth = 100;

/**
 * Tells a reader of each element, in the order of the document. Of no bytes it tells nothing.
 * @throws Error if the bytes are no XML; its message says what is wrong, and holds nothing of them
 */
export function walkXml(bytes: Uint8Array, { open, close, text, isDone }: XmlVisitor): void {
  if (bytes.length === 0) return;
  const parser = new Parser();
  const path: string[] = [];
  let unread = 0;
  const met = () => {
    unread = 0;
  };
  parser.on('openTag', (name, attributes, decode) => {
    met();
    const local = localName(name);
    path.push(local);
    if (path.length > mostDepth) throw new Error(`one of its parts has more than ${mostDepth} levels`);
    const attribute: Attribute = (wanted) => {
      const all = attributes();
      const found = all[wanted] ?? Object.entries(all).find(([key]) => localName(key) === wanted)?.[1];
      return found === undefined ? undefined : decode(found);
    };
    open?.(local, attribute, path);
  });
  parser.on('closeTag', (name) => {
    met();
    path.pop();
    close?.(localName(name));
  });
  parser.on('text', (value, decode) => {
    met();
    text?.(decode(value), path);
  });
  parser.on('cdata', (value) => {
    met();
    text?.(value, path);
  });
  for (const other of ['comment', 'question', 'attention'] as const) parser.on(other, met);
  parser.on('error', () => {
    throw new Error('one of its parts is no XML');
  });
  const decoder = new TextDecoder();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (isDone?.() === true) return;
    unread += pieceBytes;
    if (unread > longestToken) throw new Error('one of its parts has a tag or a text without an end');
    parser.write(decoder.decode(bytes.subarray(at, at + pieceBytes), { stream: true }));
  }
  if (isDone?.() !== true) parser.end();
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
