import { expect, test } from 'vitest';
import type { GatewayDocument } from '#shared/config/automation.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import type { ResolvedAutomation, ResolvedGuards } from '#shared/config/resolve/resolved-automation.ts';
import { changed, ids, validDocument } from './document.ts';

/** A campaign that sets every guard. */
const guardSettings = {
  target: 'chat-bot-prod',
  overlap: 'stop-previous',
  longestRun: '10 hours',
  minimumGap: '12 hours',
  startsPerMonth: 23,
} as const;

const fullDocument = changed('campaigns.chat', { ...validDocument().campaigns['chat'], ...guardSettings });

function resolved(document: unknown): ResolvedAutomation {
  const result = resolveAutomation('prod', document, { isLocalStage: false, now: new Date('2026-11-20T12:00:00Z') });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.automation;
}

const guardsOf = (document: unknown) => resolved(document).runs['nightly']?.guards;

test('the guard settings of a campaign are one object of each of its runs', () => {
  const guards = {
    target: 'chat-bot-prod',
    overlap: 'stop-previous',
    longestRun: 'PT10H',
    minimumGap: 'PT12H',
    startsPerMonth: 23,
  };

  const { runs } = resolved(fullDocument);

  expect([runs['nightly']?.guards, runs['smoke']?.guards]).toEqual([guards, guards]);
});

test.each(Object.keys(guardSettings))('a campaign without %s has its default', (setting) => {
  const defaults: ResolvedGuards = { target: 'chat', overlap: 'skip' };

  const guards = guardsOf(changed(`campaigns.chat.${setting}`, undefined, fullDocument));

  expect(guards?.[setting as keyof ResolvedGuards]).toEqual(defaults[setting as keyof ResolvedGuards]);
});

test('a run has either a list of ids, one per start, or one id that starts again', () => {
  const { runs } = resolved(fullDocument);

  expect(runs['nightly']?.pool).toEqual({ kind: 'list', campaignRunIds: [ids.first, ids.second] });
  expect(runs['smoke']?.pool).toEqual({ kind: 'repeat', campaignRunId: ids.smoke });
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
])('gateway.startsRepeatSafely written as %s resolves to %s', (written, expected) => {
  const gateway: GatewayDocument = { ...validDocument().gateway, startsRepeatSafely: written };

  expect(resolved(changed('gateway', gateway)).gateway.startsRepeatSafely).toBe(expected);
});
