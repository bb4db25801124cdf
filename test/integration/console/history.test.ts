import { expect, test } from 'vitest';
import type { HistoryAnswer } from '#console/api.ts';
import { endedCommand, idRow, runCommand } from '../../builders/run-rows.ts';
import { fakeDeps, now } from '../../unit/operator/fake-deps.ts';
import { openTab, startTestConsole } from './harness/test-console.ts';

const at = (hoursAgo: number) => new Date(now.getTime() - hoursAgo * 3_600_000).toISOString();

/** A start so many hours ago, whose run was stopped an hour later, or that a guard skipped. */
function rowsOf(hoursAgo: number, isSkipped: boolean) {
  const startId = `start-${hoursAgo}`;
  const campaignRunId = `019ba000-0000-7000-8000-${String(hoursAgo).padStart(12, '0')}`;
  const command = runCommand({ id: startId, action: 'start', issuedAt: at(hoursAgo) });
  if (isSkipped) return [endedCommand(command, { outcome: { kind: 'skipped', reason: 'OVERLAP' } })];
  const facts = { due: at(hoursAgo), endsAt: at(hoursAgo - 1), plansStop: true, campaign: 'chat-bot' };
  const end = { by: 'stop', how: 'stopped', at: at(hoursAgo - 1) } as const;
  return [
    endedCommand(command, { campaignRunId, outcome: { kind: 'applied' }, facts }),
    idRow({ campaignRunId, startId, end }),
  ];
}

// The state was looked at once a page was read: the page was empty, though older runs were of that state.
test('a state that is asked for finds runs that are older than a page of others', async () => {
  const { deps, ledger } = fakeDeps();
  for (const hoursAgo of [3, 5, 7, 9, 11])
    for (const row of rowsOf(hoursAgo, hoursAgo > 8)) await ledger.write(undefined, row);
  await using running = await startTestConsole({ deps });
  const tab = await openTab(running);

  const answer = await tab('/api/stages/local/history?state=not-started&limit=1');

  const { history, nextBefore } = (await answer.json()) as HistoryAnswer;
  expect(history.map(({ id }) => id)).toEqual(['start-9']);
  expect(nextBefore).toBe(history[0]?.at);
});
