import { describe, expect, test } from 'vitest';
import { freshnessOf, retryDelayMs, worstFirst } from '#console/page/connection/live.ts';
import { consoleStages, depsUntil, pacedAccess } from '#console/server/console-stage.ts';
import { createLive } from '#console/server/served-stage.ts';
import { readNow, readStageRow } from '#console/server/read-now.ts';
import type { StageAccess } from '#operator/stage/stage-access.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { newRunRow } from '#shared/ledger/rows/run-row.ts';
import { configQuestion, suppliesQuestion } from '#shared/messages/questions.ts';
import { exampleDeps } from '../../golden/example-stage.ts';
import { now as facts } from '../../integration/console/page/facts.ts';
import { fakeDeps } from '../operator/fake-deps.ts';
import { parkedCommand } from '../operator/parked-fixtures.ts';

// The row of a stage had an order of its own: it named a freeze and knew nothing of a start without an answer.
test('the row of a stage shows the first of its needs', async () => {
  const deps = await exampleDeps();
  const [stage] = consoleStages([{ label: 'prod', words: ['--stage', 'prod'], open: () => deps }]);
  if (stage === undefined) throw new Error('there is no stage');
  const now = await readNow(stage);

  const row = await readStageRow(stage, async () => now);

  expect(row.worst).toEqual(now.needs[0]);
  expect(row.worst?.state).toBe('problem');
});

test('a stage that cannot be read stands first, then one that needs a person', () => {
  const row = { stage: 's', kind: 'aws' as const };
  const rows = worstFirst([
    { ...row, name: 'well' },
    { ...row, name: 'needs', worst: { subject: 'parked', state: 'problem', says: 'decide' } },
    { ...row, name: 'broken', problem: { code: 'DENIED', message: 'no' } },
  ]);

  expect(rows.map(({ name }) => name)).toEqual(['broken', 'needs', 'well']);
});

// Ids, budgets and queues of before a decision stood there for up to two minutes.
test('after a decision nothing that was kept is read', () => {
  const { deps } = fakeDeps();
  const [stage] = consoleStages([{ label: 'prod', words: [], open: () => deps }]);
  const kept = stage?.deps();
  expect(stage?.deps()).toBe(kept);

  stage?.forget();

  expect(stage?.deps()).not.toBe(kept);
});

describe('the stream', () => {
  test('is tried again after waits that grow up to half a minute', () => {
    expect([1, 2, 3, 6, 60].map((failures) => retryDelayMs(failures))).toEqual([1000, 2000, 4000, 30_000, 30_000]);
  });

  test('tells how old the facts are, and marks old ones though the stream stands', () => {
    const live = { stage: 'prod', readAt: 0, state: 'live' as const };

    expect(freshnessOf(live, 3000)).toMatchObject({ isStale: false, age: 'as of 3 s ago', state: 'Live' });
    expect(freshnessOf(live, 60_000)).toMatchObject({ isStale: true, age: 'as of 1 min ago', state: 'Stale' });
  });
});

// A freeze was seen nearly four seconds after it was made.
test('a change by a person is read and sent at once, whatever is left of the wait', async () => {
  let reads = 0;
  const live = createLive({
    read: async () => ({ ...facts, asOf: `${(reads += 1)}` }),
    forget: () => (reads = 10),
    target: () => undefined,
    everyMs: 3_600_000,
  });
  const heard: string[] = [];
  const leave = live.listen(({ event, data }) => heard.push(event === 'now' ? data.asOf : event));
  await expect.poll(() => heard).toEqual(['1']);

  live.refresh();

  await expect.poll(() => heard).toEqual(['1', '11']);
  leave();
});

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

describe('what a person did elsewhere', () => {
  // It was seen when the answer that was kept had grown old: ids that were bound stood as missing for minutes.
  test('is asked for with the next look once ids were bound', async () => {
    const bindings = [{ run: 'nightly', left: 1, isLow: true }];
    const { deps, invoked, ledger } = fakeDeps({
      functionAnswer: { payload: JSON.stringify({ bindings, budgets: [] }) },
    });
    const paced = pacedAccess(deps.stage, { elapsedMs: () => 0 });
    const look = async () => paced.invoke('f', JSON.stringify(suppliesQuestion));
    const row = await ledger.write(undefined, newRunRow('nightly'));
    await look();
    await look();
    const before = invoked.length;

    await look();
    expect(invoked).toHaveLength(before);
    if (row !== undefined) await ledger.write(row, { ...newRunRow('nightly'), bound: ['019ba000'] });
    await look();

    expect(invoked).toHaveLength(before + 1);
  });

  test('reads what ended once more after an item no longer waits', async () => {
    const { deps, ledger } = fakeDeps({ rows: [parkedCommand()] });
    const paced = await pacedAccess(deps.stage, { elapsedMs: () => 0 }).ledger();
    const look = async () => {
      await paced.listOpen('PARKED');
      return (await paced.listOpen('ENDED', { since: '2026-11-01T00:00:00Z' })).items.map(({ pk }) => pk);
    };
    expect(await look()).toEqual([]);
    const parked = await ledger.read<CommandRow>(parkedCommand().pk);
    if (parked !== undefined) await ledger.write(parked, { ...parkedCommand(), openState: 'ENDED' });

    expect(await look()).toEqual([parkedCommand().pk]);
  });
});
