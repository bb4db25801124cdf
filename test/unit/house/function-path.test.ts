import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { barsOnly, breachesIn } from '../../house/bars.ts';
import { pathOf } from '../../house/function-path.ts';

test('calls within one file are one visit, and a file that is entered again is a return', () => {
  const path = pathOf(['a.ts', 'a.ts', 'b.ts', 'a.ts', 'c.ts', 'c.ts', 'b.ts']);

  expect(path).toEqual({ visits: ['a.ts', 'b.ts', 'a.ts', 'c.ts', 'b.ts'], files: 3, returns: 2 });
});

// The trace needs the main thread of a process, and a test runs in none. A change that makes a path shorter lowers its bars.
test.each([
  ['start', 45, 60],
  ['upload', 42, 56],
  ['poll', 39, 43],
])('the path of one %s gets no longer', async (name, mostFiles, mostReturns) => {
  const root = join(import.meta.dirname, '..', '..', '..');

  const { stdout } = await promisify(execFile)(process.execPath, ['test/house/main.ts', '--path', name], { cwd: root });

  const [, files, returns] = /: (\d+) files, (\d+) returns$/m.exec(stdout) ?? [];
  expect(Number(files)).toBeLessThanOrEqual(mostFiles);
  expect(Number(returns)).toBeLessThanOrEqual(mostReturns);
});

test('the linter is asked for the bars of the project without the overrides that switch them off', () => {
  const settings = {
    plugins: ['vitest'],
    ignorePatterns: ['build'],
    rules: { eqeqeq: 'error', complexity: ['error', 12], 'max-params': ['error', 4] },
    overrides: [{ files: ['cli/**'], rules: { complexity: 'off' } }],
  };

  expect(barsOnly(JSON.stringify(settings))).toEqual({
    plugins: [],
    categories: { correctness: 'off' },
    ignorePatterns: ['build'],
    rules: { complexity: ['error', 12], 'max-params': ['error', 4] },
  });
});

test('a finding of the linter is told with its file and line', () => {
  const diagnostics = [{ filename: 'cli/b.ts', message: 'too much', labels: [{ span: { line: 7 } }] }];

  expect(breachesIn(JSON.stringify({ diagnostics }))).toEqual(['cli/b.ts:7: too much']);
});
