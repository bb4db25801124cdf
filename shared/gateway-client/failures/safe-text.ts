/** Replaces a secret wherever it stands. */
export type Redact = (text: string) => string;

/** Shorter ones would blank out ordinary words, and no gateway hands them out. */
const shortestSecret = 4;

/**
 * Makes a redactor for the tokens of one call. A gateway may echo what it was sent, so what it says is redacted by value, also where the
 * token was escaped on the way.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  let needles: ReadonlySet<string> | undefined;
  return (text) => {
    // Most calls are answered as they should be, and nothing is redacted.
    needles ??= needlesOf(secrets);
    let redacted = text;
    for (const needle of needles) redacted = redacted.replaceAll(needle, '[redacted]');
    return redacted;
  };
}

function needlesOf(secrets: Iterable<string>): ReadonlySet<string> {
  const needles = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < shortestSecret) continue;
    needles.add(secret);
    needles.add(JSON.stringify(secret).slice(1, -1));
    needles.add(secret.replaceAll('/', String.raw`\/`));
    needles.add(encodeURIComponent(secret));
  }
  return needles;
}

// Control characters, line separators and the marks that reorder text in a terminal.
// oxlint-disable-next-line no-control-regex -- control characters are exactly what is encoded
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const named: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};

/** A foreign text for a log line: control characters encoded, at most `maxBytes` of UTF-8, never cut inside a character. */
export function safeText(text: string, maxBytes: number): string {
  // An encoded character is at most six times as long, so what lies beyond the cap can be dropped first.
  const encoded = text
    .slice(0, maxBytes)
    .toWellFormed()
    .replaceAll(unsafe, (char) => named[char] ?? `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
  const bytes = Buffer.from(encoded);
  if (bytes.length <= maxBytes) return encoded;
  return bytes
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\uFFFD+$/u, '');
}
