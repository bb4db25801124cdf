/** Texts that a person reads or pastes: an age, a command line. */
import { replaceInvisible, visibleText } from '#shared/text/visible-text.ts';

/** How long ago, or how long: `45 s`, `12 min`, `3 h 5 min`, `2 days`. */
export function roughly(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60)
    return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

/** `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * A word as bash, zsh and ksh read it back: quoted only if it must be. One with characters that cannot be seen is written as their bytes, so
 * that pasting it drives no terminal. No word of a shell holds a NUL, which stays as it is shown, or half of a surrogate pair, which becomes
 * U+FFFD, as in every argument of a program.
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
