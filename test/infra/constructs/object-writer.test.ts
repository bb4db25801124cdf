import { expect, test } from 'vitest';
import { anyDataset, quietDatasets } from '#infra/constructs/people/upload-policies.ts';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';

function rule(prefix: string, thenStart?: string): ResolvedDatasetRule {
  return { prefix, name: '{stem}', check: 'none', announce: false, locked: [], thenStart };
}

const starting = rule('datasets/pii/', 'smoke');

test.each([
  ['no rule that starts', [rule('datasets/')], ['datasets/'], []],
  ['a starting prefix below', [rule('datasets/'), starting], ['datasets/'], ['datasets/pii/']],
  ['a starting prefix alone', [starting], ['datasets/'], ['datasets/pii/']],
  ['everything starts but one', [rule('datasets/', 'smoke'), rule('datasets/quiet/')], ['datasets/quiet/'], []],
  ['everything starts', [rule('datasets/', 'smoke')], ['datasets/'], ['datasets/']],
  ['a quiet prefix below a starting one', [starting, rule('datasets/pii/quiet/')], ['datasets/'], ['datasets/pii/']],
])('%s: the policy of who starts nothing allows %j less %j', (_what, rules, allowed, denied) => {
  expect(quietDatasets(rules)).toMatchObject({ allowed, denied });
});

test('the policy of who may start says which prefix starts what', () => {
  expect(anyDataset([rule('datasets/'), starting]).follows).toBe('`datasets/pii/` starts `smoke`');
  expect(anyDataset([rule('datasets/')]).follows).toBe('no rule starts a run');
});
