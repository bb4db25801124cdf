import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visibleText, visibleTextWithin } from '#shared/text/visible-text.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { anyCharacter } from '../../../builders/hostile-texts.ts';

describe('visibleText', () => {
  test.each([
    ['a line break, a return, a tab', 'a\nb\r\tc', String.raw`a\nb\r\tc`],
    ['a terminal escape', '\u001b]52;c;aGk=\u0007', String.raw`\u001b]52;c;aGk=\u0007`],
    ['C1 and DEL', '\u009b2J\u007f', String.raw`\u009b2J\u007f`],
    ['line separators', '\u2028\u2029\u0085', String.raw`\u2028\u2029\u0085`],
    ['bidi marks', 'a\u202egpj\u061c\u2066', String.raw`a\u202egpj\u061c\u2066`],
    ['zero-width characters', 'a\u200b\ufeff\u2060b', String.raw`a\u200b\ufeff\u2060b`],
    ['invisible tags', 'a\u{e0041}', String.raw`a\udb40\udc41`],
    ['fillers', '\u3164\u2800\u115f', String.raw`\u3164\u2800\u115f`],
    ['half of a surrogate pair', 'a\ud83d', String.raw`a\ud83d`],
    ['a joiner between letters', 'a\u200db', String.raw`a\u200db`],
    ['a lone variation selector', 'a\ufe0f', String.raw`a\ufe0f`],
  ])('encodes %s', (_name, text, encoded) => {
    expect(visibleText(text)).toBe(encoded);
  });

  test.each([
    ['umlauts', 'Prüfung für Köln, naïve façade'],
    ['combined letters', 'e\u0301 n\u0303'],
    ['Greek, Cyrillic, Hebrew, Arabic', 'Ελληνικά русский עברית العربية'],
    ['Chinese, Japanese, Korean', '数据集 データセット 데이터'],
    ['Devanagari and Thai', 'हिन्दी ภาษาไทย'],
    ['a wide space', '全角\u3000スペース'],
    ['emoji with joiners and selectors', 'ok 👩‍💻 ❤️ 🏳️‍🌈 1️⃣ 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['backslashes', String.raw`C:\new\u0041`],
  ])('leaves %s as they are', (_name, text) => {
    expect(visibleText(text)).toBe(text);
  });

  test('twice is once, and a JSON document stays that document', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const once = visibleText(text);
        expect(visibleText(once)).toBe(once);
        expect(JSON.parse(visibleText(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
      }),
      propertyRuns(500),
    );
  });
});

describe('visibleTextWithin', () => {
  test('keeps its cap and never cuts a character in half', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat(40), (text, cap) => {
        const safe = visibleTextWithin(text, cap);
        expect(safe.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(cap);
        expect(visibleText(safe)).toBe(safe);
      }),
      propertyRuns(500),
    );
  });
});
