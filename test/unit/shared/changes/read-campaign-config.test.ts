import { expect, test } from 'vitest';
import { compareConfigs } from '#shared/changes/compare-configs.ts';
import { readCampaignConfig } from '#shared/changes/read-campaign-config.ts';
import type { Campaign } from '#shared/gateway-client/index.ts';

const campaign: Campaign = {
  id: 'c-1',
  name: 'Nightly',
  description: 'What it must refuse',
  attacks: [
    { name: 'Role play', prompts: 10 },
    { id: 'a-2', type: 'injection' },
  ],
  vendored: false,
  runCount: 3,
};
const differences = (now: Partial<Campaign>) =>
  compareConfigs(
    readCampaignConfig(campaign).fingerprints,
    readCampaignConfig({ ...campaign, ...now }).fingerprints,
  ).map(({ kind, field }) => `${field} ${kind}`);

test.each<[string, Partial<Campaign>]>([
  ['its counters', { runCount: 4, lastRun: 'r-9', lastRunAt: '2026-11-20T22:00:00Z' }],
  ['who made it and when', { createdBy: 'ann', createdAt: '2026-01-01T00:00:00Z' }],
  ['the order of its attacks', { attacks: [...(campaign.attacks ?? [])].toReversed() }],
  ['null for what is not there', { attacks: campaign.attacks, vendored: false, extra: null }],
  ['attacks that are not shown', { attacks: null }],
])('%s defines no campaign', (_, now) => {
  expect(differences(now)).toEqual([]);
});

test.each<[Partial<Campaign>, string[]]>([
  [{ description: 'Something else' }, ['description changed']],
  [
    {
      attacks: [
        { name: 'Role play', prompts: 11 },
        { id: 'a-2', type: 'injection' },
      ],
    },
    ['attacks.Role play.prompts changed'],
  ],
  [
    { attacks: ['Encoded payload', { id: 'a-2', type: 'injection' }] },
    ['attacks.Encoded payload added', 'attacks.Role play removed'],
  ],
  [{ target: 'elsewhere' }, ['target changed']],
])('%j is another campaign', (now, expected) => {
  expect(differences(now)).toEqual(expected);
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
