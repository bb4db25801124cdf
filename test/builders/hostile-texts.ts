import * as fc from 'fast-check';

/** Texts that others may write into a name, each with what it would break if it were taken for more than text. */
export const hostileTexts: readonly (readonly [kind: string, text: string])[] = [
  ['a line separator', 'a\u2028b'],
  ['a paragraph separator', 'a\u2029b'],
  ['a carriage return', 'a\rdata: {}\r\rb'],
  ['both ends of a line', 'a\r\ndata: {}\r\n\r\nb'],
  ['the end of an event and another event', 'a\n\nevent: gone\ndata: {}\n\nb'],
  ['a comment', 'a\n: still here\n\nb'],
  ['NUL', 'a\u0000b'],
  ['a next line', 'a\u0085b'],
  ['a vertical tab and a form feed', 'a\u000b\u000cb'],
  ['the first half of a pair', 'a\ud83db'],
  ['the second half of a pair', 'a\ude00b'],
  ['marks of direction', 'a\u202e\u2066b\u2069\u200f'],
  ['a byte order mark', '\ufeffa\ufeff'],
  ['what has no width', 'a\u200b\u00ad\u2060b'],
  ['characters of four bytes', 'a\u{1f600}\u{10ffff}b'],
  ['a sequence of a terminal', 'a\u001b[2Jb'],
  ['markup', '</script><img src=x onerror=alert(1)>'],
  ['quotation marks and braces', `"}]}\\"'\`\${a}`],
];

/**
 * Any character but half of a pair, as the unit of `fc.string`. The unit `binary` of fast-check means the same.
 * But it first makes a table of a million characters, in each worker: a second of CPU.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));
