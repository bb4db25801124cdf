import { expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { changed } from './document.ts';

function warnings(document: unknown): readonly string[] {
  const now = new Date('2026-11-21T12:00:00Z');
  const result = resolveAutomation('prod', document, { isLocalStage: false, now });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.warnings.map(({ path, message }) => `${path}: ${message}`);
}

const withoutConfirm = changed('campaigns.chat.confirm', undefined);

test('a gateway without alreadyInState is named, one that has no such text is not', () => {
  expect(warnings(changed('gateway.alreadyInState', undefined))).toEqual([
    expect.stringMatching(/^gateway\.alreadyInState: is not set.* write the texts/),
  ]);
  expect(warnings(changed('gateway.alreadyInState', []))).toEqual([]);
});

test.each([
  ['set it to the field', withoutConfirm],
  ['set campaignId and confirm to the field', changed('campaigns.chat.campaignId', undefined, withoutConfirm)],
])('a campaign without confirm is named: %s', (remedy, document) => {
  expect(warnings(document)).toEqual([
    expect.stringMatching(new RegExp(`^campaigns\\.chat\\.confirm: is not set.*${remedy}`)),
  ]);
});

test('a campaign without confirm needs none without runs, or if its gateway ignores repeated starts', () => {
  const idle = { longestRun: '1 hour', runs: {} };

  expect(warnings(changed('campaigns.idle', idle))).toEqual([]);
  expect(warnings(changed('gateway.startsRepeatSafely', true, withoutConfirm))).toEqual([]);
});

test.each([
  ['29 minutes', '15 minutes', ['30 minutes']],
  ['30 minutes', '15 minutes', []],
  ['14 minutes', undefined, ['15 minutes']],
  ['15 minutes', undefined, []],
  [undefined, '46 minutes', ['61 minutes']],
  [undefined, undefined, []],
])('a validFor of %s with a startDelay of %s has to be %j', (validFor, startDelay, least) => {
  const document = changed('schedules[0].validFor', validFor, changed('schedules[0].startDelay', startDelay));

  expect(warnings(document)).toEqual(
    least.map((text) => expect.stringMatching(new RegExp(`^schedules\\[0\\]\\.validFor: .*at least ${text}`))),
  );
});
