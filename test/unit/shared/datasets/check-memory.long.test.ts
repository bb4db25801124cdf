import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { folderOfFile } from '../../../builders/test-folder.ts';
import { buildLooker, filled, mostMb } from './look-in-child.ts';
import { sheetOf, workbookOf } from './workbook-parts.ts';

const look = await buildLooker(folderOfFile());

/** Rows that all differ, 9 MB and more. */
const distinct = (unit: (row: number) => string) => Array.from({ length: 1_000_000 }, (_, row) => unit(row)).join('');

// Those that take seconds; the others are in check-memory.test.ts.
describe('[D13] I16: a file that takes long is read within the memory of the function', () => {
  test.each([
    [
      'a quote that is never closed',
      'check',
      filled('prompt,label\na,1\n"', 'abc,\n'),
      /row 3 .* opened and never closed/,
    ],
    ['rows of one column', 'convert', filled('prompt,label\nb,0\n', 'a\n'), /row 3 \(line 3\) has 1 column/],
    ['the smallest rows', 'convert', filled('prompt,label\nb,0\n', 'a,1\n'), /more than 10,000,000 bytes/],
    [
      'prompts that all differ, each with both labels',
      'convert',
      `prompt,label\n${distinct((row) => `${Math.floor(row / 2)},${row % 2}\n`)}`,
      /more than 10,000,000 bytes/,
    ],
    // Each object had a shape of its own: 288 MB.
    [
      'objects whose fields all differ',
      'convert',
      `[${distinct((row) => `{"${row}":1},`).slice(0, 9_900_000)}`,
      /fields of their own/,
    ],
    ['a list of the smallest prompts', 'convert', filled('Hello there\n', 'a\n'), /more than 10,000,000 bytes/],
    ['an array of empty objects', 'convert', filled('[', '{},', '{}]'), /no column prompt/],
    [
      'an object of lists in lists',
      'convert',
      filled('{"a":[{}],', '"c":[{}],', '"d":1}'),
      /JSON object of 1000 lists/,
    ],
  ] as const)('%s', async (_what, kind, file, problem) => {
    const said = await look(kind, file);

    expect(said.problems.join()).toMatch(problem);
    expect(said.mostMb).toBeLessThan(mostMb);
  });

  const far = Array.from({ length: 100_000 }, (_, row) => `<row r="${row + 2}"><c r="XFD1"><v>1</v></c></row>`);
  test.each([
    ['a cell far to the right in each row', sheetOf(far.join('')), {}, /more than 50 MB/],
    // A text of 750 kB, each character of it an entity: 268 MB.
    [
      'texts of entities',
      sheetOf(`<row><c t="inlineStr"><is><t>${'&amp;'.repeat(150_000)}</t></is></c></row>`.repeat(60)),
      {},
      /without an end/,
    ],
    ['very many levels', '<a>'.repeat(10_000_000), {}, /more than 100 levels/],
    ['a tag without an end', `<worksheet ${' '.repeat(40_000_000)}`, {}, /without an end/],
    [
      'very many texts',
      sheetOf(''),
      { 'xl/texts.xml': strToU8(`<sst>${'<si><t>ab</t></si>'.repeat(2_500_000)}</sst>`) },
      /more than 50 MB/,
    ],
  ])('a workbook: %s', async (_what, sheet, more, problem) => {
    const said = await look('convert', zipSync({ ...workbookOf(sheet), ...more }));

    expect(said.problems.join()).toMatch(problem);
    expect(said.mostMb).toBeLessThan(mostMb);
  });
});
