import { expect, it } from 'vitest';
import { instantOfWork } from '#shared/ledger/instant-of-work.ts';

const since = '2026-11-20T09:00:00.000Z';
const now = new Date('2026-11-20T15:00:00.000Z');
const decided = (at: string) => ({ decision: 'repeat', by: 'ann', reason: 'mended', at }) as const;

it.each([
  ['work that nobody had to decide about keeps its own instant', [], since],
  ['the last decision counts', [decided('2026-11-20T11:00:00.000Z'), decided('2026-11-20T14:00:00.000Z')], '14:00'],
  ['a clock that is ahead makes no command from the future', [decided('2026-11-20T18:00:00.000Z')], '15:00'],
  ['a clock that is behind makes no command older than its work', [decided('2026-11-20T08:00:00.000Z')], since],
])('%s', (_name, resolutions, wanted) => {
  expect(instantOfWork({ since, resolutions }, now)).toContain(wanted);
});
