/** Texts that a person pastes into a shell. */
import { replaceInvisible, visibleText } from './visible-text.ts';

/**
 * A word as bash, zsh and ksh read it back: quoted only if it must be. One with characters that
 * cannot be seen is written as their bytes, so that pasting it drives no terminal. No word of a
 * shell holds a NUL, which stays as it is shown. Half of a surrogate pair becomes U+FFFD, as in
 * every argument of a program.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const possible = word.replaceAll('\0', visibleText).toWellFormed();
  if (visibleText(possible) === possible) return `'${possible.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${replaceInvisible(possible.replaceAll(/['!\\]/g, bytesOf), bytesOf)}'`;
}

/** Octal, always of three digits: no digit that follows can belong to it. */
function bytesOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** A command line to paste. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => shellWord(word)).join(' ');
}

const toReplace = /^(?:[A-Z-]+…|[a-z]+(?:\|[a-z]+)+)$/;

/** A command line with words that are to be replaced, which stay as they are: `UUID…`, `start|stop`. */
export function templateLine(words: readonly string[]): string {
  return words.map((word) => (toReplace.test(word) ? word : shellWord(word))).join(' ');
}
