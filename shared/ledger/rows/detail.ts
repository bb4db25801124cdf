/** Details as rows, events and outcomes keep them: short. Pure. */

/** Rows and events hold details of several attempts and must stay small; no person reads more of a sentence. */
const maxDetailBytes = 2048;

/** Kept free for `; and 123456 more problems`. */
const roomForMore = 48;

const ellipsis = '…';

/**
 * A detail as rows, events and outcomes keep it, cut between characters and marked with `…`.
 * @param mostBytes - of UTF-8
 */
export function cappedDetail(text: string, mostBytes: number = maxDetailBytes): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  // A character takes a byte or more.
  const bytes = Buffer.from(text.slice(0, mostBytes)).subarray(0, mostBytes - Buffer.byteLength(ellipsis));
  // As a part of a stream: a character that is not whole is left out.
  return new TextDecoder().decode(bytes, { stream: true }) + ellipsis;
}

/**
 * Several sentences as one detail: as many as fit, the first of them cut if it must be, and how
 * many more there are.
 * @param noun - what the sentences are about, in the plural
 * @example listedDetail(problems, 'problems') // 'line 3: …; line 7: …; and 40 more problems'
 */
export function listedDetail(sentences: readonly string[], noun: string): string {
  const budget = maxDetailBytes - roomForMore;
  const [first = '', ...others] = sentences;
  const listed = [cappedDetail(first, budget)];
  let bytes = Buffer.byteLength(listed[0] ?? '');
  for (const sentence of others) {
    bytes += Buffer.byteLength(sentence) + '; '.length;
    if (bytes > budget) break;
    listed.push(sentence);
  }
  const more = sentences.length - listed.length;
  return [...listed, ...(more > 0 ? [`and ${more} more ${noun}`] : [])].join('; ');
}
