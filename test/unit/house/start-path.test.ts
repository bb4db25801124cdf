import { expect, test } from 'vitest';
import { barsOnly, breachesIn } from '../../house/bars.ts';
import { pathOf } from '../../house/start-path.ts';

test('calls within one file are one visit, and a file that is entered again is a return', () => {
  const path = pathOf(['a.ts', 'a.ts', 'b.ts', 'a.ts', 'c.ts', 'c.ts', 'b.ts']);

  expect(path).toEqual({ visits: ['a.ts', 'b.ts', 'a.ts', 'c.ts', 'b.ts'], files: 3, returns: 2 });
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
