/** Texts that a person reads or pastes: an age, a text without control characters, a command line. */

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

/** Control characters would let a key or a gateway's text drive the terminal: they become visible instead. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is replaced
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (character) =>
    character === '\n' ? ' ' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** A word as a POSIX shell reads it back: quoted only where it must be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A command line to paste. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => shellWord(word)).join(' ');
}
