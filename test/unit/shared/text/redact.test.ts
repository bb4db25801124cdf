import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '#shared/text/redact.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { anyCharacter } from '../../../builders/hostile-texts.ts';

/** Every character that a token may have: the client refuses others. */
const token = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 24,
  maxLength: 80,
});

const hex = (text: string, width: number): string => (text.codePointAt(0) ?? 0).toString(16).padStart(width, '0');
const each = (text: string, escaped: (char: string) => string): string => Array.from(text, escaped).join('');
const signs = (text: string, escaped: (char: string) => string): string => text.replaceAll(/[^\w]/g, escaped);

/** The ways in which software passes a text on. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON with escaped slashes': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  'JSON with escaped signs': (text) => signs(text, (sign) => `\\u${hex(sign, 4)}`),
  'JSON, all escaped, upper case': (text) => each(text, (char) => `\\u${hex(char, 4).toUpperCase()}`),
  'percent encoding': (text) => encodeURIComponent(text),
  'percent encoding in lower case': (text) => signs(text, (sign) => `%${hex(sign, 2)}`),
  'percent encoding of everything': (text) => each(text, (char) => `%${hex(char, 2)}`),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 after one byte': (text) => Buffer.from(`a${text}`).toString('base64'),
  'base64 after two bytes': (text) => Buffer.from(`ab${text}`).toString('base64'),
  'base64 in a longer text': (text) => Buffer.from(`{"authorization":"Bearer ${text}"}`).toString('base64'),
  'base64url in a longer text': (text) => Buffer.from(`user:${text}, and more`).toString('base64url'),
  'base64 in a URL': (text) => encodeURIComponent(Buffer.from(`Bearer ${text}`).toString('base64')),
};

describe('[F12] a secret', () => {
  test.each(Object.entries(forms))('is found in this form: %s', (_form, pass) => {
    fc.assert(
      fc.property(token, (secret) => {
        const redact = createRedactor([secret]);

        const redacted = redact(`before ${pass(secret)} after`);

        expect(redacted).toMatch(/^before .*\[redacted\].* after$/);
        // Beside it at most the words and the letters of base64 that a form puts around it.
        const around = 16 + pass('').length;
        expect(redacted.length).toBeLessThanOrEqual('before [redacted] after'.length + around);
      }),
      propertyRuns(60),
    );
  });

  test('is found wherever it stands, also one that is known only later', () => {
    const secrets = new Set(['first-token']);
    const redact = createRedactor(secrets);
    secrets.add('second-token');

    expect(redact('first-token, second%2Dtoken and first-token again')).toBe(
      '[redacted], [redacted] and [redacted] again',
    );
  });

  test('of less than four characters is a part of ordinary words', () => {
    expect(createRedactor(['', 'the'])('nothing to hide in the log')).toBe('nothing to hide in the log');
  });

  test('takes nothing else with it', () => {
    fc.assert(
      fc.property(token, fc.string({ unit: anyCharacter }), (secret, text) => {
        fc.pre(!text.includes(secret));
        expect(createRedactor([`${secret}${secret}`])(text)).toBe(text);
      }),
      propertyRuns(30),
    );
  });
});

test('a text made to keep the redactor busy is read in one pass', () => {
  const redact = createRedactor(['%\\&#x%25\\\\u0041&amp;']);
  const hard = `${'\\'.repeat(50_000)}${'%25'.repeat(50_000)}${'&#0000'.repeat(20_000)}`;

  expect(redact(hard)).toBe(hard);
});
