import { describe, expect, test } from 'vitest';
import { compareConfigs, toldChanges } from '#shared/changes/compare-configs.ts';
import { readConfig } from '#shared/changes/read-config.ts';
import { describeChange, wordsOf } from '#shared/changes/words.ts';
import type { GatewayConfig } from '#shared/gateway-client/index.ts';
import { aConfig, anEntry } from '../../functions/watch-projects/project-bench.ts';

const read = (config: GatewayConfig) => readConfig({ id: 'p', config });

/** The changes in words, where `configAt` answers this earlier one, or nothing. */
function told(before: GatewayConfig, now: GatewayConfig, earlier: GatewayConfig | 'nothing' = before): string[] {
  const [known, seen] = [read(before).fingerprints, read(now)];
  const differences = compareConfigs(known, seen.fingerprints);
  return toldChanges(differences, known, earlier === 'nothing' ? undefined : read(earlier), seen).map(describeChange);
}

const withKey = (apiKey: string) => aConfig({ providers: [{ id: 'main', apiKey }] });
const scanner = (fields: Parameters<typeof anEntry>[1]) => aConfig({ scanners: [anEntry('s1', fields)] });

describe('a change in words', () => {
  test.each<[string, GatewayConfig, string]>([
    ['a value', scanner({ version: '2026-02' }), 'scanners.s1.version: 2026-01 → 2026-02'],
    ['a flag that became a boolean and changed', scanner({ enabled: false }), 'scanners.s1.enabled: true → false'],
    ['a value that came', scanner({ flagMessage: 'Stop' }), 'scanners.s1.flagMessage: (not set) → Stop'],
    ['an empty value', scanner({ mode: '' }), 'scanners.s1.mode: block → (empty)'],
    ['a value that went', aConfig({ providerRouting: null }), 'providerRouting: default → (not set)'],
    ['an entry that came', aConfig({ packages: [anEntry('p1'), anEntry('p2')] }), 'packages.p2: added'],
    ['an entry that went', aConfig({ providers: [] }), 'providers.main: removed'],
  ])('%s', (_, now, line) => {
    expect(told(aConfig(), now)).toEqual([line]);
  });

  test('has the value before only if it is proven to be what was seen then', () => {
    const now = scanner({ version: '2026-02' });

    expect(told(aConfig(), now, 'nothing')).toEqual(['scanners.s1.version: changed to 2026-02']);
    expect(told(aConfig(), now, now)).toEqual(['scanners.s1.version: changed to 2026-02']);
    expect(told(aConfig(), now, scanner({ version: '2025-12' }))).toEqual(['scanners.s1.version: changed to 2026-02']);
  });

  test('has no value of a field that the interface does not name: a gateway may keep anything there', () => {
    expect(told(withKey('sk-old'), withKey('sk-new'))).toEqual(['providers.main.apiKey: changed']);
  });
});

test('a value is one short line, whatever stands in it', () => {
  expect(wordsOf('two\r\nlines\u2028and \u0000more')).toBe('two lines and more');
  expect(wordsOf('x'.repeat(500))).toHaveLength(80);
  expect(wordsOf('😀'.repeat(100)).isWellFormed()).toBe(true);
  expect(wordsOf({ to: ['a', 'b'] })).toBe('{"to":["a","b"]}');
});
