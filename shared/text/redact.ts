/** Takes secrets out of texts, by value and in every form in which software passes a text on. */

/** Replaces a secret wherever it stands. */
export type Redact = (text: string) => string;

/** Shorter ones would blank out ordinary words, and no gateway hands them out. */
const shortestSecret = 4;

const replacement = '[redacted]';

/**
 * Makes a redactor. It finds a secret as it is, percent-encoded, behind backslashes, as
 * `\u002f` or `\x2f`, or as HTML entities. It also finds any of these in each other, and base64 or
 * base64url inside a longer text.
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
      redacted = redactedOf(redacted, secret, needles);
    }
    return redacted;
  };
}

function redactedOf(text: string, secret: string, needles: readonly string[]): string {
  const plain = text.replaceAll(secret, replacement);
  const view = viewOf(plain);
  const found = needles.flatMap((needle) => rangesOf(view, needle)).toSorted((a, b) => a.start - b.start);
  let result = '';
  let from = 0;
  for (const { start, end } of found) {
    if (end <= from) continue;
    if (start >= from) result += plain.slice(from, start) + replacement;
    from = end;
  }
  return from === 0 ? plain : result + plain.slice(from);
}

/** The secret as a text reads once nothing in it is escaped, and in base64. */
function needlesOf(secret: string): readonly string[] {
  const base64 = [0, 1, 2].map((before) => base64Within(secret, before));
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([viewOf(secret).text, ...base64, ...base64url])];
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

/** A text without its escapes. */
interface View {
  readonly text: string;
  /**
   * The position in the source of each of its characters, and after them the source's end; absent
   * if the text is the source.
   */
  readonly starts?: readonly number[];
}

/** An escape, or a backslash that only protects what follows. */
const escapes =
  /%(?<byte>[\da-f]{2})|\\u(?<unit>[\da-f]{4})|\\x(?<short>[\da-f]{2})|&#x0{0,4}(?<hex>[\da-f]{1,4});|&#0{0,4}(?<decimal>\d{1,5});|&(?<name>[a-z]{2,6});|\\/giu;

/**
 * A text that was escaped more often than this was not passed on by software but hidden by a
 * person.
 */
const mostRounds = 4;

/** Undoes escapes until none is left. */
function viewOf(source: string): View {
  let view: View = { text: source };
  for (let round = 0; round < mostRounds; round++) {
    const next = unescapedOnce(view);
    if (next === undefined) break;
    view = next;
  }
  return view;
}

function unescapedOnce(view: View): View | undefined {
  const { text } = view;
  if (!/[%&\\]/.test(text)) return undefined;
  const starts: number[] = [];
  let result = '';
  let from = 0;
  const keepUntil = (end: number): void => {
    for (let index = from; index < end; index++) starts.push(startOf(view, index));
    result += text.slice(from, end);
  };
  for (const match of text.matchAll(escapes)) {
    const char = charOf(match.groups ?? {});
    if (char === undefined) continue;
    keepUntil(match.index);
    if (char !== '') starts.push(startOf(view, match.index));
    result += char;
    from = match.index + match[0].length;
  }
  if (from === 0) return undefined;
  keepUntil(text.length);
  starts.push(startOf(view, text.length));
  return { text: result, starts };
}

function startOf({ starts }: View, index: number): number {
  return starts?.[index] ?? index;
}

/** The character of an escape; empty for a backslash, nothing for an entity of another name. */
function charOf({ name, decimal, ...hexes }: Readonly<Record<string, string | undefined>>): string | undefined {
  if (name !== undefined) return entities[name] ?? entities[name.toLowerCase()];
  const hex = hexes['byte'] ?? hexes['unit'] ?? hexes['short'] ?? hexes['hex'];
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return decimal === undefined ? '' : String.fromCharCode(Number(decimal));
}

/**
 * HTML's names of the signs of ASCII
 * (https://html.spec.whatwg.org/multipage/named-characters.html).
 */
const entities: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'amp& lt< gt> quot" apos\' sol/ bsol\\ plus+ equals= period. lowbar_ colon: semi; comma, excl! num# dollar$ percnt% ' +
    'lpar( rpar) ast* quest? commat@ lsqb[ lbrack[ rsqb] rbrack] Hat^ grave` lcub{ lbrace{ verbar| vert| rcub} rbrace}'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
);

/** The position of a needle in the source of a view. */
function rangesOf(view: View, needle: string): { readonly start: number; readonly end: number }[] {
  const found: { readonly start: number; readonly end: number }[] = [];
  for (let at = view.text.indexOf(needle); at !== -1; at = view.text.indexOf(needle, at + needle.length)) {
    found.push({ start: startOf(view, at), end: startOf(view, at + needle.length) });
  }
  return found;
}
