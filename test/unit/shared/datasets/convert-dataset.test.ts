import { describe, expect, test } from 'vitest';
import { convertDataset } from '#shared/datasets/convert-dataset.ts';

const convert = (text: string | Buffer) => convertDataset(Buffer.from(text));

describe('convertDataset', () => {
  test('writes prompts as they are and labels as true and false, whatever the columns, case and spaces', () => {
    const found = convert(' id ;LABEL ; Prompt\n1;Yes;"a; ""b"""\n2; NO ; spaced \n3;0;x,y\n');

    expect(found).toMatchObject({ problems: [], checked: { rows: 3, blocking: 1 }, leftOut: ['id'] });
    expect(found.csv.toString()).toBe('prompt,label\n"a; ""b""",true\n spaced ,false\n"x,y",false\n');
  });

  // A file of Excel in German was refused row by row: the label is "WAHR".
  test.each([
    ['WAHR', 'FALSCH'],
    ['VRAI', 'FAUX'],
    ['VERDADERO', 'FALSO'],
    ['Vero', 'falso'],
    ['VERDADEIRO', 'FALSO'],
    ['WAAR', ' onwaar '],
  ])('writes %s and %s of a spreadsheet in another language as true and false', (yes, no) => {
    const { problems, csv } = convert(`prompt;label\na;${yes}\nb;${no}\n`);

    expect(problems).toEqual([]);
    expect(csv.toString()).toBe('prompt,label\na,true\nb,false\n');
  });

  test('reads 1.0 and 0.0, as pandas writes numbers beside a missing one', () => {
    const { problems, csv } = convert('prompt,label\na,1.0\nb,0.0\n');

    expect(problems).toEqual([]);
    expect(csv.toString()).toBe('prompt,label\na,true\nb,false\n');
  });

  // A CRLF inside of quotes counted as two lines.
  test('counts the lines of a file with CRLF inside of quotes', () => {
    const { problems } = convert('prompt,label\r\n"x\r\n\r\ny",true\r\nb,maybe\r\n"z\r\n",no\r\nd,perhaps\r\n');

    expect(problems.map((problem) => problem.slice(0, problem.indexOf(':')))).toEqual([
      'row 3 (line 5)',
      'row 5 (line 8)',
    ]);
  });

  test('reads JSON Lines with truth values, numbers and words, and names lines that are none', () => {
    const good = convert(
      '{"Prompt":"a","label":true}\n\n{"label":"no","prompt":"b\\n","id":1}\n{"prompt":"c","label":1}\n',
    );
    const bad = convert(
      '{"prompt":"a","label":true}\nprompt\n{"prompt":1,"label":0}\n{"label":0}\n[]\n{"prompt":"b","label":null}\n',
    );

    expect(good).toMatchObject({ problems: [], leftOut: ['id'] });
    expect(good.csv.toString()).toBe('prompt,label\na,true\n"b\n",false\nc,true\n');
    expect(bad.problems).toEqual([
      'row 2 (line 2): it is no JSON object on one line',
      'row 3 (line 3): the prompt is no text',
      'row 4 (line 4): it has no field prompt',
      'row 5 (line 5): it is no JSON object on one line',
      'row 6 (line 6): the label is not true, false, 1, 0, yes or no',
    ]);
  });

  test.each([
    ['prompt,text\na,true\n', ['there is no column label: the columns are prompt, text']],
    ['prompt,PROMPT,label\na,b,true\n', ['the header has twice the column prompt']],
    [
      `prompt,label,${'x,'.repeat(999)}x\na,1\n`,
      ['row 1 (line 1) has more than 1000 columns: quote a prompt that holds commas'],
    ],
    ['prompt,label\n,,\n', ['the file has a header and no rows']],
    // Bad headers and lines alike led astray: PDF, HTML, no header, a title, pipes, plurals, JSON of several lines.
    ['%PDF-1.7\n%x', ['the file is a PDF document, not text: take the table from its source, as CSV UTF-8']],
    [
      '\n<!DOCTYPE html><html>',
      ['the file is a web page (HTML) or XML, not a table: download the file itself, or save it as CSV UTF-8'],
    ],
    ['How do I?,true\nb,false\n', ['the file has no header: its first row must name the columns prompt and label']],
    [
      'Prompts of March;\nprompt;label\na;true\n',
      ['row 2 names the columns, not the first: delete what stands above it'],
    ],
    ['prompts,labels\na,true\n', ['there is no column prompt and no column label: the columns are prompts, labels']],
    ['{"prompt":"a","Prompt":"b","label":1}\n', ['row 1 (line 1): it has more than one field prompt']],
    [
      '{\n  "prompt": "a",\n  "label": true\n}\n',
      ['the file is JSON over several lines: write one object a line (JSON Lines), or an array of them'],
    ],
    ['', ['the file is empty: the first row must be prompt,label']],
    [
      Buffer.concat([Buffer.from('\uFEFFprompt,label\na,1\nb', 'utf16le'), Buffer.from([0])]),
      ['the file is not whole UTF-16LE: half a character is in it'],
    ],
  ])('says what is wrong with %j', (text, problems) => {
    const found = convert(text);

    expect(found.problems).toEqual(problems);
  });

  test('lists a hundred problems and counts the rest', () => {
    expect(convert(`prompt,label\na,1\n${'a,x\n'.repeat(130)}`)).toMatchObject({
      problems: { length: 100 },
      more: 30,
    });
  });

  // It was a problem here and a warning in upload.
  test('warns of prompts with both labels, with the rows of the first, also past empty rows', () => {
    const { problems, checked } = convert('prompt,label,\na,1,\n,,\nb,0,\na,no,\na,0,\nb,yes,\n');

    expect(problems).toEqual([]);
    expect(checked.contradictory).toEqual({ prompts: 2, rows: [2, 5] });
  });

  test('refuses what would be larger than a gateway takes', () => {
    const { problems } = convert(`prompt\tlabel\nb\t0\n${`${'x'.repeat(900_000)}\t1\n`.repeat(12)}`);

    expect(problems).toEqual([
      'it would have more than 10,000,000 bytes, which is the most that a gateway takes: split it',
    ]);
  });

  // Each tab looked at all of the text behind it again: more than a minute for 400 kB.
  test('reads a quoted text of many tabs in a table with tabs', () => {
    const found = convert(`prompt\tlabel\n"a${'\t'.repeat(400_000)}"\ttrue\nb\tfalse\n`);

    expect(found).toMatchObject({ problems: [], checked: { rows: 2, blocking: 1 } });
  });
});
