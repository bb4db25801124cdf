import { expect, test } from 'vitest';
import type { GatewayDocument } from '#shared/config/automation.ts';
import type { ResolvedGuards } from '#shared/config/resolve/resolved-automation.ts';
import { changed, resolved, validDocument } from './document.ts';

/** A campaign that sets every guard. */
const guardSettings = {
  target: 'chat-bot-prod',
  overlap: 'stop-previous',
  longestRun: '10 hours',
  minimumGap: '12 hours',
  startsPerMonth: 23,
} as const;

const fullDocument = changed('campaigns.chat', { ...validDocument().campaigns['chat'], ...guardSettings });

test('the guard settings of a campaign are one object of each of its runs', () => {
  const guards = { ...guardSettings, longestRun: 'PT10H', minimumGap: 'PT12H' };

  const { runs } = resolved(fullDocument);

  expect([runs['nightly']?.guards, runs['smoke']?.guards]).toEqual([guards, guards]);
});

test.each(Object.keys(guardSettings))('a campaign without %s has its default', (setting) => {
  const defaults: ResolvedGuards = { target: 'chat', overlap: 'skip' };

  const { runs } = resolved(changed(`campaigns.chat.${setting}`, undefined, fullDocument));

  expect(runs['nightly']?.guards[setting as keyof ResolvedGuards]).toEqual(defaults[setting as keyof ResolvedGuards]);
});

test.each([
  ['with a campaignId', {}, { within: 'PT30M' }],
  ['within a time of its own', { confirmWithin: '2 hours' }, { within: 'PT2H' }],
  ['not if it is switched off', { confirm: false }, undefined],
  ['not without a campaignId', { campaignId: undefined }, undefined],
])('a start is looked for at its campaign: %s', (_when, settings, expected) => {
  const chat = { ...validDocument().campaigns['chat'], ...settings };

  expect(resolved(changed('campaigns.chat', chat)).runs['nightly']?.confirm).toEqual(expected);
});

test.each([
  [
    { send: 'reference', scannerId: 's', scannerPackageId: 'p', scannerVersions: ['1'] },
    ['scannerId', 'scannerPackageId'],
  ],
  [{ fileId: '{stem}' }, []],
  [{ send: 'reference', scannerId: 's', locked: [] }, []],
  [{ send: 'file', scannerId: 's' }, ['scannerId', 'fileId']],
  [{ send: 'file', locked: [] }, ['fileId']],
  [{ fileId: '{stem}', locked: true }, ['fileId', 'name', 'scannerId', 'scannerPackageId', 'scannerVersions']],
])('a dataset rule with %j locks %j', (rule, expected) => {
  const datasets = [{ prefix: 'datasets/', ...rule }];

  expect(resolved(changed('datasets', datasets)).datasetRules[0]?.locked).toEqual(expected);
});

test.each([
  [undefined, false],
  [false, false],
  [true, true],
])('at a gateway with a word for the start, startsRepeatSafely written as %s is %s', (written, expected) => {
  const words = { status: { start: 'running', stop: 'stopped' } };
  const gateway: GatewayDocument = { ...validDocument().gateway, ...words, startsRepeatSafely: written };

  expect(resolved(changed('gateway', gateway)).gateway.startsRepeatSafely).toBe(expected);
});
