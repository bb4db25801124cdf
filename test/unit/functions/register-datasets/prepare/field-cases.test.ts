import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { readingOptions } from '#operator/uploads/reading-options.ts';
import type { RuleConversion } from '#shared/datasets/columns/column-mapping.ts';
import { fieldCases, goesIn, refused, warned, wordsOf } from '../../../cli/uploads/field-case-table.ts';
import { createUploadBench, fileRule, posted } from '../upload-bench.ts';

/** What a rule says in place of the options. */
function conversionOf(options: string): RuleConversion {
  const words = wordsOf(options);
  const { mapping, encoding, sheet } = readingOptions((name) =>
    words.includes(`--${name}`) ? words[words.indexOf(`--${name}`) + 1] : undefined,
  );
  return { ...mapping, encoding, sheet };
}

/** Nothing of a file is quoted outside of it, but for its columns. */
const unquoted =
  /^there is no column .*: (?:the columns are [\w:, ]+|the first row names neither)(?:\.|$)|^no label of .* it holds other words$|^line 2 is not UTF-8: [^:]+$/;

/** Puts a file, with no other step of a person. */
async function put(file: string, convert?: RuleConversion) {
  const bench = createUploadBench({ rules: [{ ...fileRule, convert }] });
  const upload = { key: `datasets/pii/${file}`, versionId: 'v1', body: await readFile(join(fieldCases, file)) };
  const result = await bench.deliver(bench.put(upload));
  return { bench, upload, result };
}

describe('a file of the field, put under a rule', () => {
  test.each(goesIn)('%s is registered by its mapping: %s', async (file, options, rows) => {
    const { bench, result } = await put(file, conversionOf(options));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(parse((await posted(bench)).file.text)).toEqual(parse(`prompt,label\n${rows}`));
  });

  test.each(warned)('%s is registered as it is, byte by byte', async (file) => {
    const { bench, upload } = await put(file);

    expect((await posted(bench)).file.text).toBe(upload.body.toString());
  });

  test.each(refused.map(([file, sentence]) => [file, sentence] as const))(
    '%s is parked without a mapping',
    async (file, sentence) => {
      const { bench, upload, result } = await put(file, {});

      expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CHECK_FAILED' }] });
      expect(bench.posts).toEqual([]);
      const said = (await bench.row(upload))?.outcome?.detail?.replace('prompt-label-csv: ', '') ?? '';
      expect(said).toSatisfy(
        () => (typeof sentence === 'string' ? said === sentence : sentence.test(said)) || unquoted.test(said),
      );
    },
  );
});
