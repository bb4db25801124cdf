import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { strToU8, zipSync } from 'fflate';
import { beforeAll, describe, expect, test } from 'vitest';
import { build } from 'esbuild';
import { folderOfFile } from '../../../builders/test-folder.ts';
import { sheetOf, workbookOf } from './workbook-parts.ts';

const folder = folderOfFile();
const child = join(folder, 'child.mjs');

// As the function has it: types are taken away before it runs.
beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'check-memory-child.ts')],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
});

/** Of the 512 MB of the function: what is left is for its clients, and for the files of other records. */
const mostMb = 256;

async function look(kind: 'check' | 'convert', file: string | Uint8Array) {
  const path = join(folder, 'file');
  await writeFile(path, file);
  const { stdout } = await promisify(execFile)(process.execPath, [child, path, kind]);
  return JSON.parse(stdout) as { readonly problems: readonly string[]; readonly mostMb: number };
}

/** A file of 9.9 MB. */
function filled(header: string, unit: string, end = ''): string {
  return header + unit.repeat((9_900_000 - header.length) / unit.length) + end;
}

// 9.9 MB of commas once took 600 MB: the function was killed seven times, and fifteen uploads of
// other people were parked.
describe('[D13] I16: a file of 10 MB that is meant to fill the memory', () => {
  test.each([
    ['one row of commas', 'check', filled('prompt,label\n', ','), /row 2 \(line 2\) is longer than 1,000,000 bytes/],
    [
      'a quote that is never closed',
      'check',
      filled('prompt,label\na,1\n"', 'abc,\n'),
      /row 3 .* opened and never closed/,
    ],
    // Each line break in it became a text: 466 MB.
    ['a cell of line breaks', 'convert', filled('prompt,label\n"', '\n', '",1\n'), /row 2 \(line 2\) is longer/],
    // A megabyte of quotes made a parser write half a terabyte of errors.
    ['a field of stray quotes', 'check', filled('prompt,label\nb,0\n', 'a"'), /row 3 \(line 3\) is longer/],
    ['a header of commas', 'check', filled('prompt,label', ','), /row 1 \(line 1\) is longer/],
    ['rows of one column', 'convert', filled('prompt,label\nb,0\n', 'a\n'), /row 3 \(line 3\) has 1 column/],
    ['the smallest rows', 'convert', filled('prompt,label\nb,0\n', 'a,1\n'), /more than 10,000,000 bytes/],
    ['a list of the smallest prompts', 'convert', filled('Hello there\n', 'a\n'), /more than 10,000,000 bytes/],
    ['an array of empty objects', 'convert', filled('[', '{},', '{}]'), /no column prompt/],
    [
      'an object of lists in lists',
      'convert',
      filled('{"a":[{}],', '"c":[{}],', '"d":1}'),
      /JSON object of 1000 lists/,
    ],
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
  const far = Array.from({ length: 100_000 }, (_, row) => `<row r="${row + 2}"><c r="XFD1"><v>1</v></c></row>`);
  test.each([
    [
      'a text that 1,000 cells name',
      sheetOf(`<row r="2">${cells(1_000)}</row>`),
      texts('x'.repeat(900_000)),
      /more than 50 MB/,
    ],
    ['a cell at ZZZ1', sheetOf('<row r="2"><c r="ZZZ2"><v>1</v></c></row>'), {}, /beyond column 16384/],
    ['a cell far to the right in each row', sheetOf(far.join('')), {}, /more than 50 MB/],
    ['very many levels', '<a>'.repeat(10_000_000), {}, /more than 100 levels/],
    ['a tag without an end', `<worksheet ${' '.repeat(40_000_000)}`, {}, /without an end/],
    [
      'very many texts',
      sheetOf(''),
      { 'xl/texts.xml': strToU8(`<sst>${'<si><t>ab</t></si>'.repeat(2_500_000)}</sst>`) },
      /more than 50 MB/,
    ],
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
