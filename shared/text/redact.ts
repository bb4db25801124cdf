/** Takes secrets out of texts, by value: as they are, escaped in JSON, percent-encoded, or in base64. */

/** Replaces a secret wherever it stands. */
export type Redact = (text: string) => string;

/** Shorter ones would blank out ordinary words, and no gateway hands them out. */
const shortestSecret = 4;

const replacement = '[redacted]';

/**
 * Makes a redactor. It finds a secret as it is, escaped once in JSON or by percent signs, and in
 * base64 or base64url inside a longer text.
 * @param secrets - read again for each text: a token is known only once it was fetched
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    let redacted = text;
    for (const secret of secrets) {
      // No form of it is shorter than itself, and most texts are.
      if (secret.length < shortestSecret || redacted.length < secret.length) continue;
      const needles = known.get(secret) ?? needlesOf(secret);
      known.set(secret, needles);
      for (const needle of needles) redacted = redacted.replaceAll(needle, replacement);
      for (const escape of escapes) redacted = withoutEscaped(redacted, needles, escape);
    }
    return redacted;
  };
}

/** The secret itself, and what a text in base64 or base64url holds of it. */
function needlesOf(secret: string): readonly string[] {
  const base64 = [0, 1, 2].map((before) => base64Within(secret, before));
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([secret, ...base64, ...base64url])];
}

/**
 * What a text in base64 holds of a secret that begins so many bytes after a multiple of three. The
 * sextets at its ends also depend on its neighbours, so they are left out: they alone tell less
 * than one character.
 */
function base64Within(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

/** How JSON, and how an address writes a character: by its number, or itself behind a backslash. */
const escapes: readonly RegExp[] = [/\\(?:u(?<hex>[\da-f]{4})|(?<char>["\\/]))/gi, /%(?<hex>[\da-f]{2})/gi];

function withoutEscaped(text: string, needles: readonly string[], escape: RegExp): string {
  const { plain, starts } = unescaped(text, escape);
  if (plain === text) return text;
  const found = needles.flatMap((needle) => rangesOf(plain, needle)).toSorted((a, b) => a.start - b.start);
  let result = '';
  let from = 0;
  for (const { start, end } of found) {
    const [first = 0, next = 0] = [starts[start], starts[end]];
    if (first >= from) result += text.slice(from, first) + replacement;
    from = Math.max(from, next);
  }
  return result + text.slice(from);
}

/** A text without its escapes, and the position in the source of each of its characters and of its end. */
function unescaped(text: string, escape: RegExp): { readonly plain: string; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let plain = '';
  let from = 0;
  const keepUntil = (end: number): void => {
    for (let index = from; index < end; index += 1) starts.push(index);
    plain += text.slice(from, end);
  };
  for (const { 0: whole, index, groups = {} } of text.matchAll(escape)) {
    keepUntil(index);
    starts.push(index);
    plain += groups['char'] ?? String.fromCharCode(Number.parseInt(groups['hex'] ?? '', 16));
    from = index + whole.length;
  }
  keepUntil(text.length);
  starts.push(text.length);
  return { plain, starts };
}

function rangesOf(text: string, needle: string): { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (let start = text.indexOf(needle); start >= 0; start = text.indexOf(needle, start + needle.length)) {
    ranges.push({ start, end: start + needle.length });
  }
  return ranges;
}
