import { describe, expect, test } from 'vitest';
import { compareConfigs } from '#shared/changes/compare-configs.ts';
import { readCampaignConfig, readConfig } from '#shared/changes/read-config.ts';
import type { Campaign, GatewayConfig } from '#shared/gateway-client/index.ts';
import { aConfig, anEntry } from '../../functions/watch-projects/project-bench.ts';

const read = (config: GatewayConfig) => readConfig({ id: 'p', config });
const differences = (before: GatewayConfig, now: GatewayConfig) =>
  compareConfigs(read(before).fingerprints, read(now).fingerprints).map(({ kind, field }) => `${kind} ${field}`);
const main = (fields: object) => aConfig({ providers: [{ id: 'main', ...fields }] });
const scanner = (fields: object) => ({ scanners: [anEntry('s1', { ...fields })] });

describe('the same configuration, said otherwise, is no change', () => {
  test.each<[string, GatewayConfig, GatewayConfig]>([
    ['flags as texts and as booleans', aConfig(), aConfig(scanner({ enabled: true, blocking: true }))],
    ['a version as a number', aConfig(scanner({ version: '3' })), aConfig(scanner({ version: 3 }))],
    ['null for a field that is not there', main({ type: null, capabilities: null }), main({})],
    [
      'another order of entries',
      aConfig({ scanners: [anEntry('s1'), anEntry('s2')] }),
      aConfig({ scanners: [anEntry('s2'), anEntry('s1')] }),
    ],
    [
      'another order of what is a set, or of keys',
      main({ capabilities: ['chat', 'tools'], limits: { a: 1, b: 2 } }),
      main({ capabilities: ['tools', 'chat'], limits: { b: 2, a: 1 } }),
    ],
    ['no providerRouting, and null', aConfig({ providerRouting: null }), aConfig({ providerRouting: undefined })],
  ])('%s', (_, before, now) => {
    expect(differences(before, now)).toEqual([]);
    expect(differences(now, before)).toEqual([]);
  });
});

describe('what differs is named by its place', () => {
  test.each<[string, GatewayConfig, string]>([
    ['a version', scanner({ version: '2026-02' }), 'changed scanners.s1.version'],
    ['a flag', { packages: [anEntry('p1', { enabled: false })] }, 'changed packages.p1.enabled'],
    ['a version that is an object', scanner({ version: { year: 2026 } }), 'changed scanners.s1.version'],
    ['a field that came', scanner({ flagMessage: 'no' }), 'changed scanners.s1.flagMessage'],
    ['a field that went', scanner({ mode: null }), 'changed scanners.s1.mode'],
    ['a field that the interface does not name', scanner({ tier: 2 }), 'changed scanners.s1.tier'],
    ['a scanner that came', { scanners: [anEntry('s1'), anEntry('s2')] }, 'added scanners.s2'],
    ['the last package that went', { packages: [] }, 'removed packages.p1'],
    ['the routing', { providerRouting: { to: 'fallback' } }, 'changed providerRouting'],
    ['a setting beside the lists', { threshold: 0.5 }, 'changed threshold'],
  ])('%s', (_, change, difference) => {
    expect(differences(aConfig(), aConfig(change))).toEqual([difference]);
  });
});

const named = (enabled: boolean) => aConfig({ providers: [{ name: 'Main' }, { name: 'Main', enabled }, {}] });

test('an entry without an id goes by its name, and two of a name are two', () => {
  expect(Object.keys(read(named(true)).fingerprints.lists['providers'] ?? {})).toEqual(['Main', 'Main#2', 'unnamed']);
  expect(differences(named(true), named(false))).toEqual(['changed providers.Main#2.enabled']);
});

const hostile = (version: string) =>
  aConfig({ scanners: ['__proto__', 'constructor', ''].map((id) => anEntry(id, { version })) });

test('hostile names are names like any other, also after the ledger kept them', () => {
  const kept = JSON.parse(JSON.stringify(read(hostile('1')).fingerprints));

  expect(compareConfigs(kept, read(hostile('1')).fingerprints)).toEqual([]);
  expect(compareConfigs(kept, read(hostile('2')).fingerprints).map(({ field }) => field)).toEqual([
    'scanners.__proto__.version',
    'scanners.constructor.version',
    'scanners.unnamed.version',
  ]);
});

test('the fingerprints hold nothing of what a configuration says', () => {
  const { fingerprints } = read(aConfig({ providers: [{ id: 'main', apiKey: 'sk-very-secret', name: 'Main model' }] }));

  expect(JSON.stringify(fingerprints)).not.toMatch(/secret|Main model|2026-01/);
});

const injection = { id: 'a-2', type: 'injection' };
const attacks = [{ name: 'Role play', prompts: 10 }, injection];
const described = { id: 'c-1', name: 'Nightly', description: 'What it must refuse' };
const campaign: Campaign = { ...described, attacks, vendored: false, runCount: 3 };
const campaignDifferences = (now: Partial<Campaign>) =>
  compareConfigs(
    readCampaignConfig(campaign).fingerprints,
    readCampaignConfig({ ...campaign, ...now }).fingerprints,
  ).map(({ kind, field }) => `${field} ${kind}`);

test.each<[string, Partial<Campaign>]>([
  ['its counters', { runCount: 4, lastRun: 'r-9', lastRunAt: '2026-11-20T22:00:00Z' }],
  ['who made it and when', { createdBy: 'ann', createdAt: '2026-01-01T00:00:00Z' }],
  ['the order of its attacks', { attacks: attacks.toReversed() }],
  ['null for what is not there', { attacks, vendored: false, extra: null }],
  ['attacks that are not shown', { attacks: null }],
])('%s defines no campaign', (_, now) => {
  expect(campaignDifferences(now)).toEqual([]);
});

test.each<[Partial<Campaign>, string[]]>([
  [{ description: 'Something else' }, ['description changed']],
  [{ attacks: [{ name: 'Role play', prompts: 11 }, injection] }, ['attacks.Role play.prompts changed']],
  [{ attacks: ['Encoded payload', injection] }, ['attacks.Encoded payload added', 'attacks.Role play removed']],
  [{ target: 'elsewhere' }, ['target changed']],
  [{ name: { en: 'Nightly' } }, ['name changed']],
  [{ attacks: { first: 'Role play' } }, ['attacks changed']],
])('%j is another campaign', (now, expected) => {
  expect(campaignDifferences(now)).toEqual(expected);
});

test('tells what the interface names, and of an attack which one it is', () => {
  expect(Object.fromEntries(readCampaignConfig(campaign).words)).toEqual({
    name: 'Nightly',
    description: 'What it must refuse',
    vendored: 'false',
    'attacks.Role play.name': 'Role play',
    'attacks.a-2.type': 'injection',
  });
});

/** A configuration with a value of 5,000 levels. */
function deepConfig(inmost: unknown): GatewayConfig {
  const description: unknown = JSON.parse(`${'{"a":'.repeat(5000)}${JSON.stringify(inmost)}${'}'.repeat(5000)}`);
  return aConfig({ ...main({ description }) });
}

test('a value of 5,000 levels is compared as any other', () => {
  expect(differences(deepConfig(1), deepConfig(1))).toEqual([]);
  expect(differences(deepConfig(1), deepConfig(2))).toHaveLength(1);
});
