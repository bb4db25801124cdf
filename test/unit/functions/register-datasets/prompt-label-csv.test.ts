import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPromptLabelCsv } from '../../../../functions/register-datasets/prompt-label-csv.ts';

const check = (text: string) => checkPromptLabelCsv(Buffer.from(text));

function problems(text: string | Uint8Array): readonly string[] {
  const answer = checkPromptLabelCsv(Buffer.from(text));
  return answer.ok ? [] : answer.problems;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
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
  ])('passes a file with %s and counts its rows', (_name, text) => {
    expect(check(text)).toEqual({ ok: true, rows: 2, blocking: 1 });
  });

  it('takes commas, doubled quotes and line breaks inside quotes for text', () => {
    expect(check('prompt,label\n"say ""hi"",\r\nthen, stop\n",true\nb,false\n')).toEqual({
      ok: true,
      rows: 2,
      blocking: 1,
    });
  });

  it.each([
    ['', 'the file is empty: the first row must be prompt,label'],
    ['prompt,label\n', 'the file has a header and no rows'],
    ['text,label\na,true\nb,false\n', 'the header must be exactly prompt,label and is "text,label"'],
    ['label,prompt\ntrue,a\nfalse,b\n', 'the header must be exactly prompt,label and is "label,prompt"'],
    ['prompt,label\na,true\n', 'no row is labelled false or 0: both labels must be present'],
    ['prompt,label\na,0\n', 'no row is labelled true or 1: both labels must be present'],
    ['prompt,label\na,true\nb,False\n', 'row 3 (line 3): the label is "False", not true, false, 1 or 0'],
    ['prompt,label\na,true\n  ,false\n', 'row 3 (line 3): the prompt is empty'],
    ['prompt,label\na,b,true\nc,false\n', 'row 2 (line 2) has 3 columns, not 2: quote a prompt that holds a comma'],
    ['prompt,label\nalone\n', 'row 2 (line 2) has 1 column, not 2: quote a prompt that holds a comma'],
  ])('says what is wrong with %j', (text, problem) => {
    expect(problems(text)).toContain(problem);
  });

  it('tells the line apart from the row after a field with line breaks and after empty lines', () => {
    expect(problems('prompt,label\n"one\ntwo",true\n\nc,maybe\n')).toEqual([
      'row 3 (line 5): the label is "maybe", not true, false, 1 or 0',
    ]);
  });

  it('lists five problems and counts the rest', () => {
    expect(check(`prompt,label\n${'a,x\n'.repeat(12)}`)).toMatchObject({
      ok: false,
      problems: { length: 5 },
      more: 7,
    });
  });

  it('names the line of bytes that are not UTF-8', () => {
    const latin1 = Buffer.from('prompt,label\na,true\nfür,false\n', 'latin1');

    expect(problems(latin1)).toEqual(['line 3 is not UTF-8: save the file as UTF-8']);
  });

  it('names the line of a quote that is never closed, and of one inside a field', () => {
    expect(problems('prompt,label\na,true\n"b,false\n')[0]).toMatch(
      /^line \d: a quoted field is opened and never closed$/,
    );
    expect(problems('prompt,label\na "b" c,true\nd,false\n')[0]).toMatch(/^line 2: a quote stands inside a field/);
  });

  it('never quotes a prompt, and a label only in part', () => {
    const text = problems(`prompt,label\nmy secret prompt,${'x'.repeat(500)}\n`).join();

    expect(text).not.toContain('secret');
    expect(text.length).toBeLessThan(200);
  });

  it('passes whatever rows a careful writer quotes', () => {
    const prompt = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => text.trim() !== '' && text.isWellFormed());
    fc.assert(
      fc.property(fc.array(prompt, { minLength: 1, maxLength: 8 }), (prompts) => {
        const rows = prompts.map((text) => `${quoted(text)},1\n`).join('');

        expect(check(`prompt,label\n${rows}last,0\n`)).toEqual({
          ok: true,
          rows: prompts.length + 1,
          blocking: prompts.length,
        });
      }),
      { numRuns: 500 },
    );
  });

  it('is total: any bytes give an answer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(checkPromptLabelCsv(bytes)).toHaveProperty('ok');
      }),
      { numRuns: 2_000 },
    );
  });
});
