import { describe, expect, it } from 'vitest';
import { checkedSentence, checkPromptLabelCsv } from '#shared/datasets/prompt-label-csv.ts';

const check = async (text: string) => checkPromptLabelCsv(Buffer.from(text));

async function problems(text: string | Uint8Array): Promise<readonly string[]> {
  const answer = checkPromptLabelCsv(typeof text === 'string' ? Buffer.from(text) : text);
  return answer.ok ? [] : answer.problems;
}

describe('checkPromptLabelCsv', () => {
  it.each([
    ['line feeds', 'prompt,label\na,true\nb,false\n'],
    ['no line break at the end', 'prompt,label\na,1\nb,0'],
    ['carriage returns', 'prompt,label\r\na,true\r\nb,0\r\n'],
    ['a byte order mark', '\uFEFFprompt,label\na,true\nb,false\n'],
    ['a quoted header', '"prompt","label"\na,true\nb,false\n'],
    ['empty lines', 'prompt,label\n\na,true\n\nb,false\n\n'],
    ['mixed line ends', 'prompt,label\r\na,true\nb,false\r\n'],
  ])('passes a file with %s and counts its rows', async (_name, text) => {
    expect(await check(text)).toEqual({ ok: true, checked: { rows: 2, blocking: 1, repeated: 0 } });
  });

  it('takes commas, doubled quotes and line breaks inside quotes for text', async () => {
    expect(await check('prompt,label\n"say ""hi"",\r\nthen, stop\n",true\nb,false\n')).toEqual({
      ok: true,
      checked: { rows: 2, blocking: 1, repeated: 0 },
    });
  });

  it('quotes a first row only if it names a column, and a label only if it is a word', async () => {
    const prompt = 'tell me how to open the safe';

    expect(await problems(`Identifier of the prompt,${prompt.repeat(2)}\na,true\nb,false\n`)).toEqual([
      'the header must be exactly prompt,label; the first row names neither prompt nor label',
    ]);
    expect(await problems(`prompt,label\na,${prompt}\nb,false\nc,true\n`)).toEqual([
      'row 2 (line 2): the label is a text of 28 characters, not true, false, 1 or 0',
    ]);
  });

  it.each([
    ['', 'the file is empty: the first row must be prompt,label'],
    ['prompt,label\n', 'the file has a header and no rows'],
    ['text,label\na,true\nb,false\n', 'the header must be exactly prompt,label and has the columns text, label'],
    ['label,prompt\ntrue,a\nfalse,b\n', 'the header must be exactly prompt,label and has the columns label, prompt'],
    [
      'prompt,label\na,true\nb,False\n',
      'row 3 (line 3): the label is "False", not true, false, 1 or 0 (--convert writes false)',
    ],
    [
      'prompt,label\na,true\nb,WAHR\n',
      'row 3 (line 3): the label is "WAHR", not true, false, 1 or 0 (--convert writes true)',
    ],
    ['prompt,label\na,true\n  ,false\n', 'row 3 (line 3): the prompt is empty'],
    ['prompt,label\na,b,true\nc,false\n', 'row 2 (line 2) has 3 columns, not 2: quote a prompt that holds a comma'],
    ['prompt,label\nalone\n', 'row 2 (line 2) has 1 column, not 2'],
  ])('says what is wrong with %j', async (text, problem) => {
    expect(await problems(text)).toContain(problem);
  });

  it('tells the line apart from the row after a field with line breaks and after empty lines', async () => {
    expect(await problems('prompt,label\n"one\ntwo",true\n\nc,maybe\n')).toEqual([
      'row 4 (line 5): the label is "maybe", not true, false, 1 or 0',
    ]);
  });

  it('tells each problem as data too: row, line, column, and what is wrong there', async () => {
    const bad = 'prompt,label\n"one\ntwo",true\n ,maybe\na,b,true\nsay "x",1\n';
    expect(await check(bad)).toMatchObject({
      problemsByRow: [
        { row: 3, line: 4, column: 'prompt', says: 'the prompt is empty' },
        { row: 3, line: 4, column: 'label', says: 'the label is "maybe", not true, false, 1 or 0' },
        { row: 4, line: 5, says: 'the row has 3 columns, not 2: quote a prompt that holds a comma' },
        { row: 5, line: 6, says: expect.stringMatching(/^a quote stands inside a field/) },
      ],
    });
    expect(await check('prompt,label\n')).toMatchObject({
      problemsByRow: [{ says: 'the file has a header and no rows' }],
    });
  });

  it('lists five problems and counts the rest', async () => {
    expect(await check(`prompt,label\nb,1\n${'a,x\n'.repeat(12)}`)).toMatchObject({
      ok: false,
      problems: { length: 5 },
      more: 7,
    });
  });

  it('names the line of bytes that are not UTF-8', async () => {
    const latin1 = Buffer.from('prompt,label\na,true\nfür,false\n', 'latin1');

    expect(await problems(latin1)).toEqual([
      'line 3 is not UTF-8: save it as UTF-8, or give --convert and the --encoding that it has',
    ]);
  });

  it('names the line of a quote that is never closed, and of one inside a field', async () => {
    expect((await problems('prompt,label\na,true\n"b,false\n'))[0]).toMatch(
      /^row 3 \(line 3\): a quoted field is opened and never closed$/,
    );
    expect((await problems('prompt,label\na "b" c,true\nd,false\n'))[0]).toMatch(
      /^row 2 \(line 2\): a quote stands inside a field/,
    );
  });

  it('never quotes a prompt, and a label only in part', async () => {
    const text = (await problems(`prompt,label\nmy secret prompt,${'x'.repeat(500)}\n`)).join();

    expect(text).not.toContain('secret');
    expect(text.length).toBeLessThan(200);
  });

  it('counts rows that repeat a prompt, which is no problem', async () => {
    expect(await check('prompt,label\na,1\nb,0\na,1\n"a",0\nA,0\n')).toEqual({
      ok: true,
      checked: { rows: 5, blocking: 2, repeated: 2, contradictory: { prompts: 1, rows: [2, 5] } },
    });
  });

  it('reports a prompt with both labels, by the two rows of the first such prompt', async () => {
    const answer = await check('prompt,label\na,1\nb,0\nb,1\nb,0\na,0\nc,1\n');

    expect(answer).toMatchObject({ ok: true, checked: { contradictory: { prompts: 2, rows: [2, 6] } } });
    expect(answer.ok && checkedSentence(answer.checked)).toMatch(
      /; 2 prompts have both labels \(the first: rows 2 and 6\)$/,
    );
  });

  it.each([
    ['semicolons', 'prompt;label\na;true\nb;false\n', 'its columns stand between semicolons, not commas'],
    ['tabs', 'Prompt\tLabel\na\tTRUE\n', 'its columns stand between tabs, not commas'],
    ['UTF-16', Buffer.from('\uFEFFprompt,label\na,true\nb,false\n', 'utf16le'), 'the file is UTF-16LE, not UTF-8'],
    ['UTF-16 without its mark', Buffer.from('prompt,label\n', 'utf16le'), /UTF-16 without its byte order mark/],
    ['JSON Lines', '{"prompt":"a","label":true}\n', 'the file is JSON Lines, not CSV'],
    ['a JSON array', '[{"prompt":"a","label":true}]', /JSON array/],
    ['a workbook', Buffer.from('PK\u0003\u0004rest'), /Excel workbook/],
    ['the line of Excel', 'sep=,\nprompt,label\na,1\nb,0\n', 'the first line, sep=, is for Excel alone'],
  ])('names the form of a file in %s, and judges no row by it', async (_name, text, problem) => {
    const [first] = await problems(text);

    expect(first).toMatch(problem);
  });

  it('goes on behind a row with a stray quote, and names each', async () => {
    expect(await problems('prompt,label\na 5" pipe,true\nb,perhaps\nsay "x",1\n')).toEqual([
      expect.stringMatching(/^row 2 \(line 2\): a quote stands inside a field/),
      'row 3 (line 3): the label is "perhaps", not true, false, 1 or 0',
      expect.stringMatching(/^row 4 \(line 4\): a quote stands inside a field/),
    ]);
  });

  it('goes on behind a row with more than 1,000 columns', async () => {
    expect(await problems(`prompt,label\na,maybe\n${'a,'.repeat(1_000)}1\nb,perhaps\n`)).toEqual([
      'row 2 (line 2): the label is "maybe", not true, false, 1 or 0',
      'row 3 (line 3) has more than 1000 columns: quote a prompt that holds commas',
      'row 4 (line 4): the label is "perhaps", not true, false, 1 or 0',
    ]);
    expect(await problems(`prompt,label\n"${'a,'.repeat(40)}",1\nb,0\n`)).toEqual([]);
  });
});

describe('checkedSentence', () => {
  it.each([
    [{ rows: 3, blocking: 1, repeated: 0 }, 'prompt-label-csv: 3 rows, 1 true and 2 false'],
    [{ rows: 3, blocking: 3, repeated: 0 }, /; warning: no row is labelled false: a score needs both labels$/],
    [{ rows: 3, blocking: 0, repeated: 0 }, /; warning: no row is labelled true: a score needs both labels$/],
    [{ rows: 3, blocking: 1, repeated: 1 }, /; warning: 1 row repeats a prompt of earlier rows$/],
    [{ rows: 3, blocking: 1, repeated: 2 }, /; warning: 2 rows repeat prompts of earlier rows$/],
  ])('says the balance and warns of repeats: %j', (checked, sentence) => {
    expect(checkedSentence(checked)).toMatch(sentence);
  });
});
