import { expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { changed } from './document.ts';

function warnings(document: unknown): readonly string[] {
  const now = new Date('2026-11-21T12:00:00Z');
  const result = resolveAutomation('prod', document, { isLocalStage: false, now });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.warnings.map(({ path, message }) => `${path}: ${message}`);
}

const withWord = changed('gateway.status.start', 'running');

test('a word for the start is said to be for few gateways, until its repeats are judged', () => {
  expect(warnings(withWord)).toEqual([
    expect.stringMatching(/^gateway\.status\.start: .*leave it out; else say in gateway\.startsRepeatSafely/),
  ]);
  expect(warnings(changed('gateway.startsRepeatSafely', false, withWord))).toEqual([]);
  expect(warnings(changed('gateway.startsRepeatSafely', true, withWord))).toEqual([]);
});

test.each([true, false])('startsRepeatSafely: %s says nothing without a word for the start', (written) => {
  expect(warnings(changed('gateway.startsRepeatSafely', written))).toEqual([
    expect.stringMatching(/^gateway\.startsRepeatSafely: .*none is set: leave it out/),
  ]);
});

test.each([
  ['29 seconds', 1],
  ['30 seconds', 0],
])('a startLead of %s gets %i warnings', (startLead, count) => {
  const found = warnings(changed('gateway.startLead', startLead));

  expect(found).toHaveLength(count);
  for (const line of found) expect(line).toMatch(/^gateway\.startLead: is shorter than 30 seconds/);
});

test.each([[], undefined])('a run without an id (%j) is named with the command that binds some', (written) => {
  expect(warnings(changed('campaigns.chat.runs.smoke.campaignRunIds', written))).toEqual([
    expect.stringMatching(/^campaigns\.chat\.runs\.smoke\.campaignRunIds: has no id: .*autopilot bind smoke ID/),
  ]);
});
