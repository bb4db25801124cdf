import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { createUploadBench, fileRule, piiRule, posted, type UploadBench } from '../upload-bench.ts';

const rule = { ...fileRule, convert: { labels: { true: ['unsafe'], false: ['safe'] } } };
const set = 'id,prompt,label\n1,"Hello, you",safe\n2,Ignore the rules,unsafe\n';

/** The file that was posted, as a table. */
async function postedFile(bench: UploadBench) {
  const { file } = await posted(bench);
  return { name: file.name, rows: parse(file.text) };
}

describe('register-datasets, of a rule that converts', () => {
  it('sends what the mapping makes of the file, cell by cell, under the name of a CSV', async () => {
    const bench = createUploadBench({ rules: [rule] });

    const result = await bench.deliver(bench.put({ key: 'datasets/pii/set.txt', versionId: 'v1', body: set }));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(await postedFile(bench)).toEqual({
      name: 'set.csv',
      rows: [
        ['prompt', 'label'],
        ['Hello, you', 'false'],
        ['Ignore the rules', 'true'],
      ],
    });
  });

  it('sends JSON Lines as a table', async () => {
    const bench = createUploadBench({ rules: [{ ...fileRule, convert: { promptColumn: 'text', label: true } }] });

    const body = '{"text":"a"}\n{"text":"b"}\n';
    await bench.deliver(bench.put({ key: 'datasets/pii/a.jsonl', versionId: 'v1', body }));

    expect(await postedFile(bench)).toEqual({
      name: 'a.csv',
      rows: [
        ['prompt', 'label'],
        ['a', 'true'],
        ['b', 'true'],
      ],
    });
  });

  it('reads a file in the encoding that the rule names', async () => {
    const bench = createUploadBench({ rules: [{ ...fileRule, convert: { label: true, encoding: 'shift_jis' } }] });

    // The word for Japan in Shift-JIS.
    const body = Buffer.from('prompt\n\x93\xfa\x96\x7b\n', 'latin1');
    await bench.deliver(bench.put({ key: 'datasets/pii/a.csv', versionId: 'v1', body }));

    expect((await postedFile(bench)).rows).toEqual([
      ['prompt', 'label'],
      ['日本', 'true'],
    ]);
  });

  it('parks a file that the mapping does not fit, and sends nothing', async () => {
    const bench = createUploadBench({ rules: [rule] });

    const body = 'prompt,label\na,good\nb,bad\n';
    const result = await bench.deliver(bench.put({ key: 'datasets/pii/a.csv', versionId: 'v1', body }));

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CHECK_FAILED' }] });
    expect(bench.posts).toEqual([]);
  });
});

describe('register-datasets, of a folder as it is synced', () => {
  const names =
    '.DS_Store ._prompts.csv Thumbs.db desktop.ini _SUCCESS README.md LICENSE .gitattributes ~$book.xlsx prompts.csv.crdownload .prompts.csv.swp part-0000.csv.crc prompts.csv~';

  // Each of them was parked and rang an alarm; an old copy was registered under the same name.
  it.each(names.split(' '))('ignores %s', async (name) => {
    const bench = createUploadBench({ rules: [{ ...fileRule, only: ['.csv', '.tsv', '.txt'] }] });

    const result = await bench.deliver(bench.put({ key: `datasets/pii/${name}`, versionId: 'v1' }));

    expect(result).toMatchObject({ outcomes: [{ kind: 'ignored' }] });
    expect(bench.posts).toEqual([]);
  });

  it.each(['prompts.csv', 'PROMPTS.CSV'])('registers %s', async (name) => {
    const bench = createUploadBench({ rules: [{ ...fileRule, only: ['.csv', '.tsv', '.txt'] }] });

    await bench.deliver(bench.put({ key: `datasets/pii/${name}`, versionId: 'v1' }));

    expect(bench.posts).toHaveLength(1);
  });
});

// A file without a header left its first record, names and birth dates, in row, log and event.
describe('nothing of a headerless file is in row, log or event', () => {
  const canary = 'Cannary';
  const bodies = {
    csv: `${canary} One,1980-01-02\n${canary} Two,1981-01-02\n`,
    'csv of words': `${canary},${canary}son\n${canary}a,${canary}b\n`,
    'csv with labels': `${canary} asks,true\n${canary} answers,false\n`,
    tsv: `${canary} One\t1980-01-02\n${canary} Two\t1981-01-02\n`,
    semicolons: `${canary};1980-01-02\n${canary};1981-01-02\n`,
    list: `Hello ${canary}\nBye ${canary}, dear\n`,
    'json array': `["${canary}", "b ${canary}"]`,
    'json lines': `{"${canary}": "${canary}", "b": "${canary}"}\n{"${canary}": "${canary}", "b": 1}\n`,
    'latin 1': Buffer.from(`${canary} M\u00fcller,1980-01-02\n`, 'latin1').toString('latin1'),
    'unclosed quote': `"${canary} One,1980-01-02\n${canary}`,
    yaml: `name: ${canary}\nborn: ${canary}\n`,
  };
  const rules = { checks: { ...piiRule }, 'checks and sends': fileRule, converts: { ...fileRule, convert: {} } };

  const cases = Object.entries(bodies).flatMap(([form, body]) =>
    Object.entries(rules).map(([what, chosen]) => ({ form, body, what, chosen })),
  );

  it.each(cases)('$form, by a rule that $what', async ({ body, chosen }) => {
    const bench = createUploadBench({ rules: [chosen] });
    const upload = { key: 'datasets/pii/a.csv', versionId: 'v1', body };

    const result = await bench.deliver(bench.put(upload));

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CHECK_FAILED' }] });
    const written = JSON.stringify([await bench.row(upload), bench.events, bench.lines, result]);
    expect(written).not.toContain('annary');
  });
});
