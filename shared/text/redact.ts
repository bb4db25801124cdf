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
  const known = new Map<string, RegExp>();
  return (text) => {
    let redacted = text;
    for (const secret of secrets) {
      // No form of it is shorter than itself, and most texts are.
      if (secret.length < shortestSecret || redacted.length < secret.length) continue;
      const forms = known.get(secret) ?? formsOf(secret);
      known.set(secret, forms);
      redacted = redacted.replaceAll(forms, replacement);
    }
    return redacted;
  };
}

/** Matches the secret itself, and what a text in base64 or base64url holds of it. */
function formsOf(secret: string): RegExp {
  const base64 = [0, 1, 2].map((before) => base64Within(secret, before));
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const needles = [...new Set([secret, ...base64, ...base64url])];
  return new RegExp(needles.map((needle) => needle.split('').map(anyEscape).join('')).join('|'), 'g');
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

/**
 * Matches a character as it is, as JSON may write it (by its number, or behind a backslash), and as
 * an address does.
 */
function anyEscape(char: string): string {
  const hex = char.charCodeAt(0).toString(16).padStart(4, '0');
  const inAnyCase = hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const asItIs = String.raw`\u${hex}`;
  const behindBackslash = /["\\/]/.test(char) ? String.raw`\\${asItIs}|` : '';
  return String.raw`(?:${behindBackslash}${asItIs}|\\u${inAnyCase}|%${inAnyCase.slice(2)})`;
}
