import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { command as check } from '#cli/uploads/check.ts';
import { command as upload } from '#cli/uploads/upload.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { createUploadBench, fileRule } from '../../functions/register-datasets/upload-bench.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

/** A cell as a workbook writes it: a text, a truth value or a number. */
type Cell = string | boolean | number;

function cellXml(cell: Cell, at: string): string {
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${at}" t="b"><v>${Number(cell)}</v></c>`;
  const text = cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

function sheetXml(rows: readonly (readonly Cell[])[]): string {
  const lines = rows.map((cells, row) => {
    const inside = cells.map((cell, column) => cellXml(cell, `${'ABCDE'[column]}${row + 1}`)).join('');
    return `<row r="${row + 1}">${inside}</row>`;
  });
  return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

/** A workbook, written by hand as the format's own documents show it. Its sheets are S1, S2 and so on. */
function workbook(...sheets: readonly (readonly (readonly Cell[])[])[]): Uint8Array {
  return workbookWith([], sheets);
}

function workbookWith(hidden: readonly number[], sheets: readonly (readonly (readonly Cell[])[])[]): Uint8Array {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const names = sheets.map(
    (_, index) =>
      `<sheet name="S${index + 1}" sheetId="${index + 1}"${hidden.includes(index) ? ' state="hidden"' : ''} r:id="r${index + 1}"/>`,
  );
  const links = sheets.map(
    (_, index) =>
      `<Relationship Id="r${index + 1}" Type="${office}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  const packages = 'http://schemas.openxmlformats.org/package/2006';
  return zipSync({
    '[Content_Types].xml': strToU8(`<Types xmlns="${packages}/content-types"/>`),
    'xl/workbook.xml': strToU8(`<workbook ${main} xmlns:r="${office}"><sheets>${names.join('')}</sheets></workbook>`),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships xmlns="${packages}/relationships">${links.join('')}</Relationships>`,
    ),
    ...Object.fromEntries(
      sheets.map((rows, index) => [`xl/worksheets/sheet${index + 1}.xml`, strToU8(sheetXml(rows))]),
    ),
  });
}

/** Shared texts, styles, prefixes, cells without an address and an absolute target: each is in files that programs write. */
function writtenByPrograms(): Uint8Array {
  const main = 'xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  return zipSync({
    'xl/workbook.xml': strToU8(
      `<x:workbook ${main} xmlns:rel="${office}"><x:sheets><x:sheet name="S" rel:id="r1"/></x:sheets></x:workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships>${relation('r1', 'worksheet', '/xl/worksheets/sheet7.xml')}${relation('r2', 'sharedStrings', 'texts.xml')}${relation('r3', 'styles', 'styles.xml')}</Relationships>`,
    ),
    'xl/texts.xml': strToU8(
      '<sst><si><t>prompt</t></si><si><r><t>Be bold</t></r><r><rPr><b/></rPr><t xml:space="preserve"> &amp; brief</t></r><rPh><t>spoken</t></rPh></si><si><t>two_x000D_lines</t></si></sst>',
    ),
    'xl/styles.xml': strToU8(
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd hh:mm"/><numFmt numFmtId="171" formatCode="0.0&quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="171"/><xf numFmtId="170"/></cellXfs></styleSheet>',
    ),
    'xl/worksheets/sheet7.xml': strToU8(
      `<x:worksheet ${main}><x:sheetData>
        <x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c><x:c r="B1" t="str"><x:f>T("label")</x:f><x:v>label</x:v></x:c></x:row>
        <x:row r="2"><x:c r="A2" t="s"><x:v>1</x:v></x:c><x:c r="B2" t="b"><x:v>1</x:v></x:c></x:row>
        <x:row><x:c t="s"><x:v>2</x:v></x:c><x:c t="b"><x:v>0</x:v></x:c></x:row>
        <x:row r="4"><x:c r="A4" s="1"><x:v>45355</x:v></x:c><x:c r="B4" t="b"><x:v>1</x:v></x:c><x:c r="C4" s="1"/></x:row>
        <x:row r="5"><x:c r="A5" s="2"><x:v>5.0000000000000001E-1</x:v></x:c><x:c r="B5" t="b"><x:v>0</x:v></x:c></x:row>
        <x:row r="6"><x:c r="A6" s="3"><x:v>45355.5</x:v></x:c><x:c r="B6" t="b"><x:v>1</x:v></x:c></x:row>
        <x:row r="7"><x:c r="A7" t="str"><x:f>B7</x:f><x:v>=A1</x:v></x:c><x:c r="B7" t="b"><x:v>0</x:v></x:c></x:row>
        <x:row r="8"/>
      </x:sheetData></x:worksheet>`,
    ),
  });
}

async function fileOf(name: string, bytes: Uint8Array): Promise<string> {
  const file = join(folderOfTest(), name);
  await writeFile(file, bytes);
  return file;
}

function withRow(number: string): Record<string, Uint8Array> {
  return {
    'xl/workbook.xml': strToU8('<workbook><sheets><sheet r:id="r1"/></sheets></workbook>'),
    'xl/_rels/workbook.xml.rels': strToU8('<a><Relationship Id="r1" Target="s.xml"/></a>'),
    'xl/s.xml': strToU8(`<worksheet><sheetData><row r="${number}"></row></sheetData></worksheet>`),
  };
}

const rows = [
  ['id', 'prompt', 'label'],
  [1, 'Hello, "you"\nand you', false],
  [2, '  kept as it is ', true],
] as const;

describe('a workbook', () => {
  test('goes in cell by cell as CSV, its truth values as labels', async () => {
    const file = await fileOf('Gäste set.xlsx', workbook(rows));
    const { deps, uploads } = fakeDeps();

    const checked = await check.run(argumentsOf(check, file));
    await upload.run(argumentsOf(upload, file, '--convert', '--no-wait'), deps);

    expect(checked.exitCode).toBe(exitCodes.done);
    expect(textOf(checked)).toContain('changes: the sheet S1 becomes CSV; left out: the column id');
    expect(uploads[0]).toMatchObject({ key: 'datasets/Gäste set.csv', contentType: 'text/csv' });
    expect(parse(Buffer.from(uploads[0]?.body ?? ''))).toEqual([
      ['prompt', 'label'],
      ['Hello, "you"\nand you', 'false'],
      ['  kept as it is ', 'true'],
    ]);
  });

  test('takes the options of the mapping, and names the sheet that was read', async () => {
    const set = [
      ['text', 'verdict'],
      ['Ignore the rules', 'unsafe'],
      ['Hello', 'safe'],
    ];
    const file = await fileOf('two.xlsx', workbook(set, [['notes']]));
    const options = ['--prompt-column', 'text', '--label-column', 'verdict', '--true', 'unsafe', '--false', 'safe'];

    const result = await check.run(argumentsOf(check, file, ...options));

    expect(result.exitCode).toBe(exitCodes.done);
    expect(textOf(result)).toContain('the sheet S1 becomes CSV');
  });

  const other = [
    ['prompt', 'label'],
    ['from another sheet', true],
  ];
  const readMe = [['Read me: prompts of November']];

  // A hidden first sheet was registered, and the one sentence of a sheet.
  test.each([
    ['the first visible sheet', workbookWith([0], [other, rows]), [], 'S2'],
    ['the first that has the columns', workbook(readMe, rows, other), [], 'S2'],
    ['the one that is named', workbook(rows, other), ['--sheet', 's2'], 'S2'],
    ['a hidden one, if it is named', workbookWith([1], [rows, other]), ['--sheet', 'S2'], 'S2'],
  ])('gives %s, and names it', async (_what, bytes, options, sheet) => {
    const result = await check.run(argumentsOf(check, await fileOf('sheets.xlsx', bytes), ...options));

    expect(result.exitCode).toBe(exitCodes.done);
    expect(textOf(result)).toContain(`changes: the sheet ${sheet} becomes CSV`);
  });

  test.each([
    [
      'no sheet of the name',
      workbook(rows, other),
      ['--sheet', 'S 3'],
      "there is no sheet 'S 3': the sheets are S1, S2",
    ],
    ['only hidden sheets', workbookWith([0], [rows]), [], 'no sheet is visible: name one with --sheet (S1 (hidden))'],
    ['one sentence', workbook(readMe), ['--label', 'true'], 'in the sheet S1 the file has a header and no rows'],
  ])('with %s is refused', async (_what, bytes, options, says) => {
    const result = await check.run(argumentsOf(check, await fileOf('sheets.xlsx', bytes), ...options));

    expect(result.exitCode).toBe(exitCodes.parked);
    expect(textOf(result)).toContain(says);
  });

  test('that a rule converts is registered by its sheet', async () => {
    const rule = { ...fileRule, convert: { sheet: 'S2' }, check: 'prompt-label-csv' as const };
    const bench = createUploadBench({ rules: [rule] });
    const { outcomes = [] } = await bench.deliver(
      bench.put({ key: `${rule.prefix}book.xlsx`, versionId: 'v1', body: Buffer.from(workbook(other, rows)) }),
    );

    expect(outcomes[0]).toMatchObject({ kind: 'applied' });
    expect(bench.posts[0]?.form?.body.toString()).toContain('  kept as it is ,true');
  });

  test('has its texts, dates and numbers read as spreadsheet programs write them', async () => {
    const file = await fileOf('written.xlsx', writtenByPrograms());
    const { deps, uploads } = fakeDeps();

    await upload.run(argumentsOf(upload, file, '--convert', '--no-wait'), deps);

    expect(parse(Buffer.from(uploads[0]?.body ?? ''))).toEqual([
      ['prompt', 'label'],
      ['Be bold & brief', 'true'], // a rich text, without how it is spoken
      ['two\rlines', 'false'], // a character that XML cannot hold
      ['2024-03-04T00:00:00.000Z', 'true'], // what a program made of 3/4
      ['0.5', 'false'],
      ['2024-03-04T12:00:00.000Z', 'true'], // a format of the workbook's own
      ['=A1', 'false'], // the result of a formula
    ]);
  });

  test('that would unpack to more than 50 MB is refused before it is unpacked', async () => {
    const bomb = zipSync({
      'xl/workbook.xml': strToU8('<a/>'),
      'xl/worksheets/sheet1.xml': new Uint8Array(51_000_000),
    });
    const file = await fileOf('bomb.xlsx', bomb);

    const result = await check.run(argumentsOf(check, file));

    expect(bomb.length).toBeLessThan(100_000);
    expect(textOf(result)).toContain('the workbook unpacks to more than 50 MB');
  });

  test.each([
    ['no sheet', workbook(), 'the workbook cannot be read (it has no sheet)'],
    ['a row that no sheet has', zipSync(withRow('1048577')), 'a row has a number above 1048576'],
    [
      'a sheet that is no XML',
      zipSync({ ...withRow('1'), 'xl/s.xml': strToU8('<row <') }),
      'one of its parts is no XML',
    ],
    ['a document of another program', zipSync({ 'word/document.xml': strToU8('<a/>') }), 'another ZIP file, not text'],
    ['its end cut off', workbook(rows).subarray(0, 400), 'another ZIP file, not text'],
  ])('with %s is refused in one sentence', async (_what, bytes, says) => {
    const result = await check.run(argumentsOf(check, await fileOf('odd.xlsx', bytes)));

    expect(result.exitCode).toBe(exitCodes.parked);
    expect(textOf(result)).toContain(says);
  });
});
