import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command as check } from '#cli/uploads/check.ts';
import { command as upload } from '#cli/uploads/upload.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'autopilot-workbook-'));
});

afterAll(() => rm(folder, { recursive: true }));

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

/** A workbook, written by hand as the format's own documents show it. */
function workbook(...sheets: readonly (readonly (readonly Cell[])[])[]): Uint8Array {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const names = sheets.map((_, index) => `<sheet name="S${index + 1}" sheetId="${index + 1}" r:id="r${index + 1}"/>`);
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

async function fileOf(name: string, bytes: Uint8Array): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, bytes);
  return file;
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
    expect(textOf(checked)).toContain('changes: the workbook becomes CSV; left out: the column id');
    expect(uploads[0]).toMatchObject({ key: 'datasets/Gäste set.csv', contentType: 'text/csv' });
    expect(parse(Buffer.from(uploads[0]?.body ?? ''))).toEqual([
      ['prompt', 'label'],
      ['Hello, "you"\nand you', 'false'],
      ['  kept as it is ', 'true'],
    ]);
  });

  test('takes the options of the mapping, and says that it has other sheets', async () => {
    const set = [
      ['text', 'verdict'],
      ['Ignore the rules', 'unsafe'],
      ['Hello', 'safe'],
    ];
    const file = await fileOf('two.xlsx', workbook(set, [['notes']]));
    const options = ['--prompt-column', 'text', '--label-column', 'verdict', '--true', 'unsafe', '--false', 'safe'];

    const result = await check.run(argumentsOf(check, file, ...options));

    expect(result.exitCode).toBe(exitCodes.done);
    expect(textOf(result)).toContain('the first of 2 sheets becomes CSV');
  });

  test('names a bad label by its row in the sheet', async () => {
    const file = await fileOf('bad.xlsx', workbook([['prompt', 'label'], ['a', true], [], ['b', 'maybe']]));

    const result = await check.run(argumentsOf(check, file));

    expect(result.exitCode).toBe(exitCodes.parked);
    expect(textOf(result)).toContain('row 4');
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
    ['no sheet', workbook(), 'the workbook cannot be read'],
    ['a document of another program', zipSync({ 'word/document.xml': strToU8('<a/>') }), 'another ZIP file, not text'],
    ['its end cut off', workbook(rows).subarray(0, 400), 'another ZIP file, not text'],
  ])('with %s is refused in one sentence', async (_what, bytes, says) => {
    const result = await check.run(argumentsOf(check, await fileOf('odd.xlsx', bytes)));

    expect(result.exitCode).toBe(exitCodes.parked);
    expect(textOf(result)).toContain(says);
  });
});
