import * as fc from 'fast-check';
import { anyCharacter } from '../../builders/hostile-texts.ts';

/**
 * How S3 writes a key into an event, byte by byte as Java's URLEncoder does it with the slashes
 * left alone. Shares nothing with the decoder under test, which goes by decodeURIComponent.
 */
export function encodedByS3(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (character === ' ') return '+';
      return /[A-Za-z0-9._*/-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/**
 * What an encoded key means, by its bytes: undefined if it is no form encoding of UTF-8, or no key
 * that S3 can hold.
 */
export function meaningOf(encoded: string): string | undefined {
  const bytes: number[] = [];
  for (let at = 0; at < encoded.length; at += 1) {
    const character = encoded.charAt(at);
    if (character === '%') {
      const hex = encoded.slice(at + 1, at + 3);
      if (!/^[0-9A-Fa-f]{2}$/.test(hex)) return undefined;
      bytes.push(Number.parseInt(hex, 16));
      at += 2;
    } else bytes.push(character === '+' ? 0x20 : character.charCodeAt(0));
  }
  if (bytes.length === 0 || bytes.length > 1024) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

const nasty = fc.constantFrom(
  ...Array.from(' +%/\\"\'`<&=?#~*ß試\n\t\u0000\u007f\u2028\u2029\uFEFF\u00e9\u{1f600}'),
  ...'%20 %2F %zz %252F // ../ ./ !() e\u0301 👩‍👩‍👧'.split(' '),
  '\r\n',
);
const letter = fc.stringMatching(/^[a-zA-Z0-9._-]$/);

/**
 * A key as people and programs make them, and as they should not; with its prefix it fits into S3's
 * 1024 bytes.
 */
export function anyKey(prefix: string): fc.Arbitrary<string> {
  const part = fc.oneof(
    { weight: 4, arbitrary: nasty },
    { weight: 3, arbitrary: letter },
    { weight: 2, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 3 }) },
  );
  const short = fc.array(part, { minLength: 1, maxLength: 30 });
  const long = fc.array(part, { minLength: 200, maxLength: 400 });
  return fc
    .oneof({ weight: 19, arbitrary: short }, { weight: 1, arbitrary: long })
    .map((parts) => prefix + withinBytes(parts, 1024 - Buffer.byteLength(prefix)))
    .filter((key) => key.isWellFormed() && key !== prefix);
}

/** An encoded key with something broken in it: it may still mean another key. */
export function damagedKey(prefix: string): fc.Arbitrary<string> {
  const injury = fc.constantFrom('%', '%z', '%zz', '%ff', '%C3', '%E2%82', '%c0%af', '%ED%A0%80', '%F8', '%+1', '%1');
  return fc.tuple(anyKey(prefix), injury, fc.nat(1200)).map(([key, harm, where]) => {
    const encoded = encodedByS3(key);
    const at = prefix.length + (where % (encoded.length - prefix.length + 1));
    return encoded.slice(0, at) + harm + encoded.slice(at);
  });
}

function withinBytes(parts: readonly string[], most: number): string {
  let text = '';
  for (const part of parts) {
    if (Buffer.byteLength(text + part) > most) break;
    text += part;
  }
  return text;
}
