import { expect, test } from 'vitest';
import { changed, resolved } from './document.ts';

const warnings = (document: unknown) => resolved(document).warnings;

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
