/** A word as a POSIX shell reads it back: quoted only where it must be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A command line to paste. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => shellWord(word)).join(' ');
}
