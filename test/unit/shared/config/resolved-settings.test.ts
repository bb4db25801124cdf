import { expect, test } from 'vitest';
import type { CampaignDocument, GatewayDocument } from '#shared/config/automation.ts';
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
} as const satisfies Required<Pick<CampaignDocument, keyof ResolvedGuards>>;

/** Another value of each. */
const otherSettings = {
  target: 'another-target',
  overlap: 'allow',
  longestRun: '11 hours',
  minimumGap: '13 hours',
  startsPerMonth: 24,
} as const satisfies Record<keyof ResolvedGuards, unknown>;

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

test.each(Object.entries(otherSettings))(
  'another %s reaches the guards, and changes no other guard',
  (setting, value) => {
    const before = guardsOf(fullDocument);

    const after = guardsOf(changed(`campaigns.chat.${setting}`, value, fullDocument));

    expect(after).not.toEqual(before);
    expect({ ...after, [setting]: undefined }).toEqual({ ...before, [setting]: undefined });
  },
);

test.each(Object.keys(otherSettings))('a campaign without %s has its default', (setting) => {
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
  [undefined, false],
  [false, false],
  [true, true],
])('gateway.startsRepeatSafely written as %s resolves to %s', (written, expected) => {
  const gateway: GatewayDocument = { ...validDocument().gateway, startsRepeatSafely: written };

  expect(resolved(changed('gateway', gateway)).gateway.startsRepeatSafely).toBe(expected);
});
