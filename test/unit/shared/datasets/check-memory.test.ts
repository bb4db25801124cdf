import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { folderOfFile } from '../../../builders/test-folder.ts';
import { buildLooker, filled, mostMb } from './look-in-child.ts';
import { sheetOf, workbookOf } from './workbook-parts.ts';

const look = await buildLooker(folderOfFile());

// 9.9 MB of commas once took 600 MB: the function was killed seven times, and fifteen uploads of
// other people were parked.
describe('[D13] I16: a file of 10 MB that is meant to fill the memory', () => {
  test.each([
    ['one row of commas', 'check', filled('prompt,label\n', ','), /row 2 \(line 2\) is longer than 1,000,000 bytes/],
    // Each line break in it became a text: 466 MB.
    ['a cell of line breaks', 'convert', filled('prompt,label\n"', '\n', '",1\n'), /row 2 \(line 2\) is longer/],
    // A megabyte of quotes made a parser write half a terabyte of errors.
    ['a field of stray quotes', 'check', filled('prompt,label\nb,0\n', 'a"'), /row 3 \(line 3\) is longer/],
    ['a header of commas', 'check', filled('prompt,label', ','), /row 1 \(line 1\) is longer/],
  ] as const)('is read within the memory of the function: %s', async (_what, kind, file, problem) => {
    const said = await look(kind, file);

    expect(said.problems.join()).toMatch(problem);
    expect(said.mostMb).toBeLessThan(mostMb);
  });
});

const cells = (count: number) => '<c t="s"><v>0</v></c>'.repeat(count);
const texts = (text: string) => ({ 'xl/texts.xml': strToU8(`<sst><si><t>${text}</t></si></sst>`) });

// One of 1 to 23 kB ended what looked at it.
describe('a small workbook that is meant to fill the memory', () => {
  test.each([
    [
      'a text that 1,000 cells name',
      sheetOf(`<row r="2">${cells(1_000)}</row>`),
      texts('x'.repeat(250_000)),
      /more than 50 MB/,
    ],
    ['a cell at ZZZ1', sheetOf('<row r="2"><c r="ZZZ2"><v>1</v></c></row>'), {}, /beyond column 16384/],
  ])('is read within the memory of the function: %s', async (_what, sheet, more, problem) => {
    const said = await look('convert', zipSync({ ...workbookOf(sheet), ...more }));

    expect(said.problems.join()).toMatch(problem);
    expect(said.mostMb).toBeLessThan(mostMb);
  });

  // 27 seconds for 200,000 brackets.
  test('has a number format of 200,000 brackets taken for none of a date', async () => {
    const format = `<numFmt numFmtId="170" formatCode="${'['.repeat(200_000)}"/>`;
    const styles = `<styleSheet><numFmts>${format}</numFmts><cellXfs><xf numFmtId="170"/></cellXfs></styleSheet>`;
    const sheet = sheetOf('<row r="2"><c r="A2" s="0"><v>1</v></c></row>');

    expect(await look('convert', zipSync({ ...workbookOf(sheet), 'xl/styles.xml': strToU8(styles) }))).toMatchObject({
      problems: [],
    });
  });
});
