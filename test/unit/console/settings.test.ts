import { expect, test } from 'vitest';
import { settingsTable, shownConfig } from '#console/routes/stages.ts';

test('a setting is told by its path, and a long list by its first two and how many more', () => {
  const nightly = {
    name: 'nightly',
    campaign: 'chat-bot',
    stopAfter: 'PT6H',
    pool: { kind: 'list', campaignRunIds: ['a', 'b', 'c', 'd'] },
    guards: { startsPerMonth: 31, blackouts: ['audit', 'release'] },
    starts: [{ run: 'smoke' }],
  };

  expect(settingsTable(shownConfig.parse({ runs: { nightly } }))).toEqual([
    {
      part: 'run',
      name: 'nightly',
      does: 'belongs to the campaign chat-bot',
      settings: [
        { name: 'stopAfter', value: 'PT6H' },
        { name: 'pool.kind', value: 'list' },
        { name: 'pool.campaignRunIds', value: 'a, b and 2 more' },
        { name: 'guards.startsPerMonth', value: '31' },
        { name: 'guards.blackouts', value: 'audit, release' },
        { name: 'starts', value: '[{"run":"smoke"}]' },
      ],
    },
  ]);
});
