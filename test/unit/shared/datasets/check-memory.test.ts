import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const child = join(import.meta.dirname, 'check-memory-child.ts');

/**
 * Of the 512 MB of the function, what is left beside its clients and the file of another record.
 */
const mostMb = 400;

interface Said {
  readonly answer: { readonly ok: boolean; readonly problems?: readonly string[] };
  readonly mostMb: number;
}

async function check(header: string, unit: string): Promise<Said> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, header, unit]);
  return JSON.parse(stdout);
}

// 9.9 MB of commas once took 600 MB: the function was killed seven times, and fifteen uploads of
// other people were parked.
describe('[D13] I16: a file of 10 MB that is meant to fill the memory', () => {
  test.each([
    ['one row of commas', 'prompt,label\n', ',', /row 2 \(line 2\) is longer than 1,000,000 bytes/],
    [
      'a quote that is never closed',
      'prompt,label\na,1\n"',
      'abc,\n',
      /row 3 \(line 3\): a quoted field is opened and never closed/,
    ],
    ['one field', 'prompt,label\n', 'a', /row 2 \(line 2\) is longer/],
    // A megabyte of quotes made a parser write half a terabyte of errors.
    ['a field of stray quotes', 'prompt,label\nb,0\n', 'a"', /row 3 \(line 3\) is longer/],
    ['a header of commas', 'prompt,label', ',', /row 1 \(line 1\) is longer/],
  ])('is checked within the memory of the function: %s', async (_what, header, unit, problem) => {
    const said = await check(header, unit);

    expect(said.mostMb).toBeLessThan(mostMb);
    expect(said.answer.problems?.join()).toMatch(problem);
  });

  test('is checked within the memory of the function: seven hundred thousand rows', async () => {
    const said = await check('prompt,label\nb,0\n', 'some prompt,1\n');

    expect(said.mostMb).toBeLessThan(mostMb);
    expect(said.answer.ok).toBe(true);
  });
});
