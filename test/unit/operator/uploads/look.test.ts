import { zipSync } from 'fflate';
import { assert, asyncProperty, nat, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLooker } from '#operator/uploads/file-looker.ts';
import { sheetOf, workbookOf } from '../../shared/datasets/workbook-parts.ts';

const good = { file: 'a.csv', bytes: Buffer.from('prompt,label\na,1\nb,0\n') };

/** Each of its items is 240,000 lists. */
const large = {
  file: 'large.json',
  bytes: Buffer.from(`[${`{"a":[${'[0],'.repeat(240_000)}1]},`.repeat(9)}{}]`),
};

describe('a look at a file', () => {
  // It ended the console and the stage.
  test.each([
    ['too much memory', { memoryMb: 14, timeMs: 60_000 }, /takes more than 14 MB of memory/],
    ['too much time', { memoryMb: 512, timeMs: 1 }, /takes more than 0.001 seconds/],
  ])('that takes %s ends in a sentence, and the next one is as good', async (_what, limits, sentence) => {
    const look = createLooker(limits);
    const judged = await look(large);

    expect(judged).toMatchObject({
      file: 'large.json',
      verdict: 'problems',
      problems: [expect.stringMatching(sentence)],
    });
  });

  test('goes on after one that failed, and takes several at once', async () => {
    const look = createLooker({ memoryMb: 14, timeMs: 60_000 });
    const judged = await Promise.all([look(large), look(good), look(good)]);

    expect(judged.map(({ verdict }) => verdict)).toEqual(['problems', 'ready', 'ready']);
  });

  test('at a damaged workbook ends in a judgement', async () => {
    const look = createLooker();
    const whole = zipSync(workbookOf(sheetOf('<row r="2"><c><v>1</v></c><c t="b"><v>1</v></c></row>')), { level: 0 });
    await assert(
      asyncProperty(tuple(nat(whole.length - 1), nat(255), nat(whole.length - 1), nat(255)), async (damage) => {
        const bytes = Uint8Array.from(whole);
        const [at, value, other, second] = damage;
        bytes[at] = value;
        bytes[other] = second;

        expect(await look({ file: 'book.xlsx', bytes })).toMatchObject({
          verdict: expect.stringMatching(/problems|convertible/),
        });
      }),
      { numRuns: Number(process.env['FAST_CHECK_RUNS'] ?? 200) },
    );
  });
});
