import { type Arbitrary, array, assert, constant, constantFrom, nat, property, record, uniqueArray } from 'fast-check';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { convertDataset } from '#shared/datasets/convert-dataset.ts';

/** What breaks a reader of lines: quotes, line breaks, delimiters, and what other forms begin with. */
const pieces = [
  'a',
  ' ',
  '"',
  ',',
  ';',
  '\t',
  '|',
  '\n',
  '\r\n',
  '#',
  '{',
  '[',
  'Hello there',
  '7',
  "'",
  'ü',
  '//',
  '--',
];
const cell = array(constantFrom(...pieces), { maxLength: 6 }).map((found) => found.join(''));
const name = array(constantFrom('is attack', ' ', 'Text', '"', '\n', 'prompt', 'ü'), { maxLength: 3 });
const names = uniqueArray(
  name.map((found) => found.join('')),
  { minLength: 2, maxLength: 4, selector: (text) => text.replaceAll(/\s+/g, ' ').trim().toLowerCase() },
);

const table = names.chain((header) =>
  record({
    header: constant(header),
    rows: array(array(cell, { minLength: header.length, maxLength: header.length }), {
      minLength: 1,
      maxLength: 6,
    }),
  }),
);
const style = record({
  delimiter: constantFrom(',', ';', '\t', '|'),
  quotes: constantFrom('all', 'minimal', 'nonnumeric'),
  end: constantFrom('\n', '\r\n'),
  mark: constantFrom('', '\uFEFF'),
  encoding: constantFrom('utf8' as const, 'utf16le' as const),
});

type Of<Given> = Given extends Arbitrary<infer Value> ? Value : never;

/** As Python's `csv.writer` does. */
function written({ header, rows }: Of<typeof table>, { delimiter, quotes, end, mark, encoding }: Of<typeof style>) {
  const field = (text: string) => {
    const isNeedy = /["\r\n]/.test(text) || text.includes(delimiter);
    const isQuoted = isNeedy || quotes === 'all' || (quotes === 'nonnumeric' && !/^\d+$/.test(text));
    return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [header, ...rows].map((row) => row.map(field).join(delimiter) + end);
  return Buffer.from((encoding === 'utf16le' ? '\uFEFF' : mark) + lines.join(''), encoding);
}

/** The prompts of a column that go in; absent if the file is refused. */
function promptsOf(file: Buffer, promptColumn?: string): readonly string[] | undefined {
  const { problems, csv } = convertDataset(file, { mapping: { label: true, promptColumn } });
  if (problems.length > 0) return undefined;
  return parse(csv)
    .map(([prompt = '']: readonly string[]) => prompt)
    .slice(1);
}

describe('a table that a writer of CSV wrote', () => {
  // Pieces of cells became prompts: its form was decided on lines, before its quotes were read.
  test('is read cell by cell or refused, never as a list of prompts', () => {
    let read = 0;
    assert(
      property(table, style, nat(), (content, how, at) => {
        const file = written(content, how);
        const column = at % content.header.length;
        const cells = (index: number) =>
          content.rows.filter((row) => row.some((text) => text.trim() !== '')).map((row) => row[index]);

        const unnamed = promptsOf(file);
        const named = content.header[column]?.trim() === '' ? undefined : promptsOf(file, content.header[column]);

        read += named === undefined ? 0 : 1;
        const own = content.header.findIndex((text) => text.trim() === 'prompt');
        expect(unnamed ?? cells(own)).toEqual(cells(own));
        expect(named ?? cells(column)).toEqual(cells(column));
      }),
      { numRuns: Number(process.env['FAST_CHECK_RUNS'] ?? 500) },
    );

    expect(read).toBeGreaterThan(0);
  });

  // Found by the property above: between tabs, the quotes of three cells seem to be those of one.
  test('whose cells are line breaks and tabs is no list of prompts', () => {
    expect(promptsOf(Buffer.from('"\n",is attack\n\t,"\r\n"\n'))).toBeUndefined();
  });

  test.each([
    ['"Hello, you"\n"Say ""hi"" now"\n"two\nlines"\n', ['Hello, you', 'Say "hi" now', 'two\nlines']],
    ['"Say this" he said\nHello there\n', ['"Say this" he said', 'Hello there']],
    [
      '# a heading\n-- a dash\n{{name}}, go\n[INST] hi [/INST]\n',
      ['# a heading', '-- a dash', '{{name}}, go', '[INST] hi [/INST]'],
    ],
    // Nine of ten hold one comma, as sentences do.
    [`${'Say so, please do\n'.repeat(9)}Hello there\n`, [...Array<string>(9).fill('Say so, please do'), 'Hello there']],
    ['[INST] hi [/INST]\nHello there\n', ['[INST] hi [/INST]', 'Hello there']],
    ['{{name}}, go\nHello there\n', ['{{name}}, go', 'Hello there']],
  ])('in one column, or a list of prompts, is prompts: %j', (text, prompts) => {
    expect(promptsOf(Buffer.from(text))).toEqual(prompts);
  });

  test.each([
    ['Hello there\n{"prompt":"a"}\n{"prompt":"b"}\n', undefined, /most lines are JSON/],
    ['# made by hand\nprompt,label\na,1\n', undefined, /first line is a comment above a table/],
    ['```\nHello there\n```\n', undefined, /code fence/],
    ['a b,c d\n"x, y","z\nw"\n', undefined, /no column prompt: .* It is no list of prompts: a delimiter splits/],
    [`a b,c d\n${'x y,z\n'.repeat(9)}damaged\n`, undefined, /no column prompt: .* a delimiter splits its lines alike/],
    ['Hello there\n"two\nlines" end\n"or\nmore"\nx\n', undefined, /a quoted cell spans lines from line 4 on/],
    ['Hello there\nGoodbye now\n', 'text', /no column text/],
    ['["Hello","Goodbye"]', 'text', /without a column text/],
    ['{"prompt":"a"}\n{"prompt":"b"}\n', 'text', /no column text/],
    ['[]', undefined, /^the file has no rows$/],
    ['{}', undefined, /no column prompt: it has no columns$/],
    ['[["prompt","label"],["a",1]]', undefined, /it is a list, not an object: write /],
  ])('is refused by its form: %j', (text, promptColumn, sentence) => {
    const { problems } = convertDataset(Buffer.from(text), { mapping: { label: true, promptColumn }, mayQuote: true });

    expect(problems.join('\n')).toMatch(sentence);
  });

  test('has its columns named as they can be typed', () => {
    const text = '"The  text\nof it",\u00A0Is attack\u200B\n"a, b",yes\nc,no\n';

    const { problems } = convertDataset(Buffer.from(text), { mayQuote: true });
    const typed = { promptColumn: 'The text of it', labelColumn: 'Is attack' };

    expect(problems.join()).toContain("the columns are 'The text of it', 'Is attack'");
    expect(convertDataset(Buffer.from(text), { mapping: typed }).csv.toString()).toBe(
      'prompt,label\n"a, b",true\nc,false\n',
    );
  });
});

describe('JSON that is none', () => {
  test.each([
    [
      '[{"prompt":"a","label":1},\n // b\n {"prompt":"b","label":0}]',
      'row 2 (line 2): JSON has no comments: delete them',
    ],
    ['{prompt: "a", label: 1}\n{prompt: "b", label: 0}\n', /the names of JSON stand in double quotes/],
    ['{"prompt":"a","label":1},\n{"prompt":"b","label":0},\n', /a comma stands behind the value/],
    ['{"a":[{"x":1}],"b":[{"y":2}]}', 'the file is a JSON object of 2 lists: a, b. Cut one out, such as jq .a FILE'],
    ["[{'prompt': 'He said \"x'}]", /as Python prints them/],
  ])('is named by its mistake: %j', (text, sentence) => {
    expect(convertDataset(Buffer.from(text)).problems.join('\n')).toMatch(sentence);
  });

  // A million such rows took half a minute.
  test('is read up to 1,000 rows that are none', () => {
    const { problems } = convertDataset(Buffer.from('{"a":1}\n' + '{a\n'.repeat(2_000)));

    expect(problems[0]).toBe('row 1002 and all behind it were not read: 1000 rows are no JSON');
  });
});
