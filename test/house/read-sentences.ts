import { readComments } from './read-comments.ts';

/** A sentence and the line on which its paragraph begins. */
export interface Sentence {
  readonly line: number;
  readonly text: string;
}

/** How many words a sentence has; an address of a link is none. */
export function wordCount(sentence: string): number {
  return sentence
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /[A-Za-z0-9]/.test(word)).length;
}

/**
 * The sentences of a source's comments. A tag, an item of a list and an empty line begin a
 * paragraph; an example has none.
 */
export function commentSentences(source: string): Sentence[] {
  return readComments(source).flatMap(({ line, text }) => {
    const example = text.findIndex((part) => part.startsWith('@example'));
    const prose = example === -1 ? text : text.slice(0, example);
    return paragraphsOf(prose, line, (part) => /^\s*(?:@|- |[A-Z][a-z]+(?: [a-z]+)?: )/.test(part));
  });
}

/**
 * The sentences of a Markdown page: its paragraphs, items and cells, without blocks of code,
 * headings and comments.
 */
export function pageSentences(page: string): Sentence[] {
  const sentences: Sentence[] = [];
  let held: string[] = [];
  let isCode = false;
  const lines = page.split('\n');
  const flush = (next: number) => {
    sentences.push(...paragraphsOf(held, next - held.length, (part) => /^\s*(?:[-*]|\d+\.)\s/.test(part)));
    held = [];
  };
  for (const [at, line] of lines.entries()) {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) isCode = !isCode;
    if (line.startsWith('|')) {
      flush(at + 1);
      sentences.push(...line.split('|').flatMap((cell) => paragraphsOf([cell], at + 1, () => false)));
    } else if (isFence || isCode || line.trim() === '' || /^(?: {4}|#|<!--)/.test(line)) {
      flush(at + 1);
    } else {
      held.push(line);
    }
  }
  flush(lines.length + 1);
  return sentences;
}

/** Puts lines together to paragraphs and cuts them into sentences. */
function paragraphsOf(lines: readonly string[], first: number, begins: (line: string) => boolean): Sentence[] {
  const paragraphs: { readonly line: number; text: string }[] = [];
  let isOpen = false;
  for (const [at, line] of lines.entries()) {
    const last = paragraphs.at(-1);
    if (line.trim() === '') isOpen = false;
    else if (isOpen && last !== undefined && !begins(line)) last.text += ` ${line.trim()}`;
    else {
      paragraphs.push({ line: first + at, text: line.trim() });
      isOpen = true;
    }
  }
  return paragraphs.flatMap(({ line, text }) =>
    text.split(/(?<=[.!?])\s+(?=[A-Z`'"(*[])/).map((sentence) => ({ line, text: sentence })),
  );
}
