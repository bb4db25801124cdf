/**
 * The text of others as a person can see it: it may hold characters that drive a terminal, reorder
 * a line or hide in it. Every writer of output encodes them with this one function.
 */

/**
 * What is encoded: control characters, line and paragraph separators, and every format character
 * (bidi marks, zero-width characters, tags). Also what Unicode lets a renderer ignore (fillers,
 * variation selectors), the blank Braille pattern, and halves of surrogate pairs.
 */
const invisible = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`;

const anyInvisible = new RegExp(invisible, 'v');
const eachInvisible = new RegExp(`(?<hidden>${invisible})`, 'gv');

/**
 * An emoji that Unicode recommends keeps its joiners and selectors. A joiner anywhere else is
 * encoded, or two keys could look the same.
 */
let emojiOrInvisible: RegExp | undefined;
const partOfEmoji = /\u200d|\ufe0f|\p{Extended_Pictographic}/v;

const named: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};

/**
 * Encodes every character that cannot be seen, as JSON does: `\n`, `\u202e`, `\udb40\udc01`. So the
 * result is one line, a JSON document stays that document, and encoding twice changes nothing. All
 * other text stays as it is.
 * @example visibleText('a\u001b[2Jb') // String.raw`a\u001b[2Jb`
 */
export function visibleText(text: string): string {
  return replaceInvisible(text, encoded);
}

/** `visibleText` of at most so many bytes of UTF-8, never cut inside a character. */
export function visibleTextWithin(text: string, maxBytes: number): string {
  // No character has less than one byte, so what lies beyond the cap can be dropped first.
  const bytes = new TextEncoder().encode(visibleText(text.slice(0, maxBytes)));
  const isWhole = bytes.length <= maxBytes;
  const kept = new TextDecoder().decode(bytes.subarray(0, maxBytes));
  return isWhole ? kept : kept.replace(/\uFFFD+$/u, '');
}

/** Replaces each character that cannot be seen. */
export function replaceInvisible(text: string, replacement: (char: string) => string): string {
  if (!anyInvisible.test(text)) return text;
  return text.replaceAll(patternFor(text), (found: string, hidden?: string) =>
    hidden === undefined ? found : replacement(hidden),
  );
}

/** The list of emoji takes milliseconds to compile: only a text that may hold one needs it. */
function patternFor(text: string): RegExp {
  if (!partOfEmoji.test(text)) return eachInvisible;
  return (emojiOrInvisible ??= new RegExp(String.raw`\p{RGI_Emoji}|(?<hidden>${invisible})`, 'gv'));
}

function encoded(char: string): string {
  return named[char] ?? char.split('').map(unit).join('');
}

function unit(half: string): string {
  return `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
