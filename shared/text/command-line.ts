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

/**
 * The words that run the command. `--no`: npx installs nothing. `--`: what follows is the command's own, where npx would take `-C` for itself.
 * @param project - absolute, for a line that is copied to anywhere: the folder whose command it is. npx stays in the folder of the person
 */
export function npxWords(words: readonly string[], project?: string): readonly string[] {
  const prefix = project === undefined ? [] : ['--prefix', project];
  return ['npx', ...prefix, '--no', '--', 'autopilot', ...words];
}
