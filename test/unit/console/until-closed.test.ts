import { expect, test } from 'vitest';
import { depsUntil, pacedAccess } from '#console/server/console-stage.ts';
import type { StageAccess } from '#operator/stage/stage-access.ts';
import { configQuestion } from '#shared/messages/questions.ts';
import { fakeDeps } from '../operator/fake-deps.ts';

// Ledger, schedules and plan were read to their end for a tab that had been closed.
test('a question ends with its tab, and what all tabs share goes on', async () => {
  const { deps, invoked } = fakeDeps();
  const ends: AbortSignal[] = [];
  const stage: StageAccess = {
    ...deps.stage,
    until: (signal) => {
      ends.push(signal);
      return { ...stage, ledger: async () => Promise.reject(new Error('the tab has left')) };
    },
  };
  const paced = { ...deps, stage: pacedAccess(stage, { elapsedMs: () => 0 }) };
  const tab = new AbortController();

  const asked = depsUntil(paced, tab.signal);
  const question = JSON.stringify(configQuestion);
  await Promise.all([asked.stage.invoke('f', question, tab.signal), paced.stage.invoke('f', question)]);

  expect(ends).toEqual([tab.signal]);
  expect(asked.signal).toBe(tab.signal);
  await expect(asked.stage.ledger()).rejects.toThrow('the tab has left');
  expect(invoked).toHaveLength(1);
});
