/** Rows and events hold details of several attempts and must stay small; nobody reads more of a sentence. */
const maxDetailBytes = 2048;

/** Kept free for `; and 123456 more problems`. */
const roomForMore = 48;

const ellipsis = '…';

/**
 * A detail as rows, events and outcomes keep it: at most 2 KB of UTF-8, cut between characters and marked with `…`.
 * @example cappedDetail(`refused: ${error.message}`)
 */
export function cappedDetail(text: string): string {
  return cappedTo(maxDetailBytes, text);
}

/**
 * Several sentences as one detail: as many as fit, the first of them cut where it must be, and how many more there are.
 * @param noun - what the sentences are about, in the plural
 * @example listedDetail(problems, 'problems') // 'line 3: …; line 7: …; and 40 more problems'
 */
export function listedDetail(sentences: readonly string[], noun: string): string {
  const budget = maxDetailBytes - roomForMore;
  const [first = '', ...others] = sentences;
  const listed = [cappedTo(budget, first)];
  let bytes = Buffer.byteLength(listed[0] ?? '');
  for (const sentence of others) {
    bytes += Buffer.byteLength(sentence) + '; '.length;
    if (bytes > budget) break;
    listed.push(sentence);
  }
  const more = sentences.length - listed.length;
  return [...listed, ...(more > 0 ? [`and ${more} more ${noun}`] : [])].join('; ');
}

function cappedTo(maxBytes: number, text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // A character takes a byte or more.
  const bytes = Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes - Buffer.byteLength(ellipsis));
  // As a part of a stream: a character that is not whole is left out.
  return new TextDecoder().decode(bytes, { stream: true }) + ellipsis;
}
