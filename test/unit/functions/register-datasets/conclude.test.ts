import { expect, it } from 'vitest';
import { instantOfWork } from '#functions/register-datasets/conclude.ts';

const eventTime = '2026-11-20T09:00:00.000Z';
const now = new Date('2026-11-20T15:00:00.000Z');
const decided = (decidedAt: string) => ({ decision: 'repeat', by: 'ann', reason: 'mended', at: decidedAt }) as const;

it.each([
  ['an upload that needed no decision keeps its own instant', [], eventTime],
  ['the last decision counts', [decided('2026-11-20T11:00:00.000Z'), decided('2026-11-20T14:00:00.000Z')], '14:00'],
  ['a clock that is ahead makes no command from the future', [decided('2026-11-20T18:00:00.000Z')], '15:00'],
  ['a clock that is behind makes no command older than its upload', [decided('2026-11-20T08:00:00.000Z')], eventTime],
])('%s', (_name, resolutions, wanted) => {
  expect(instantOfWork({ eventTime, resolutions }, now)).toContain(wanted);
});
