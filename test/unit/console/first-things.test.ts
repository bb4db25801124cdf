import { describe, expect, test } from 'vitest';
import type { NowAnswer } from '#console/api.ts';
import { freshnessOf, retryDelayMs, worstFirst } from '#console/page/connection/live.ts';
import { firstThings } from '#console/first-things.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { readStageRow } from '#console/server/read-now.ts';
import { exampleDeps } from '../../golden/example-stage.ts';

const at = '2026-12-05T08:00:00Z';

const calm: NowAnswer = {
  stage: 'prod',
  now: at,
  asOf: at,
  mode: 'act',
  switches: [],
  gate: { state: 'open' },
  queues: [],
  schedules: [],
  parked: [],
  inFlight: [{ kind: 'run', subject: 'nightly', since: at, state: 'started' }],
  pending: [],
  recent: [],
  supplies: { bindings: [{ run: 'nightly', left: 9, isLow: false }], budgets: [] },
  problems: [],
};

describe('what a person should do first', () => {
  test('is nothing on a stage that is well', () => {
    expect(firstThings(calm)).toEqual([]);
  });

  test('begins with what may run unseen, and ends with what will run out', () => {
    const things = firstThings({
      ...calm,
      mode: 'observe',
      switches: [{ scope: 'stage', name: 'stage', by: 'ann', reason: 'INC-77', at: '2026-12-05T05:00:00Z' }],
      gate: { state: 'closed', reason: 'token refused' },
      parked: [{ id: 'p', kind: 'upload', subject: 'k', reason: 'CHECK_FAILED', since: at }],
      queues: [{ name: 'dead', isDeadLetter: true, waiting: 2, inFlight: 0, delayed: 0 }],
      inFlight: [
        { kind: 'run', subject: 'late', since: at, state: 'stop due' },
        { kind: 'run', subject: 'smoke', since: at, state: 'in doubt' },
      ],
      supplies: {
        bindings: [{ run: 'nightly', left: 1, isLow: true }],
        budgets: [{ campaign: 'chat-bot', month: '2026-12', used: 9, startsPerMonth: 9 }],
      },
    });

    expect(things.map(({ says }) => says)).toEqual([
      'No answer yet to the start of smoke. It may run: look at the gateway.',
      '1 run goes on past its planned stop: late.',
      'The gate to the gateway is closed: token refused',
      '2 dead letters: read why.',
      '1 row waits for a decision: CHECK_FAILED 1.',
      'The stage only observes: it starts nothing.',
      'nightly has 1 campaign run id left.',
      'chat-bot has used 9 of 9 starts of 2026-12.',
      'The stage is frozen by ann, 3 h ago: INC-77',
    ]);
  });

  test('names the five reasons of most parked rows', () => {
    const reasons = ['CONFIG', 'BAD_KEY', 'CONFLICT', 'FORBIDDEN', 'REDIRECT', 'VALIDATION', 'BAD_KEY'] as const;
    const parked = reasons.map((reason, id) => ({
      id: `${id}`,
      kind: 'command' as const,
      subject: 'k',
      reason,
      since: at,
    }));

    expect(firstThings({ ...calm, parked }).map(({ says }) => says)).toEqual([
      '7 rows wait for a decision: BAD_KEY 2, CONFIG 1, CONFLICT 1, FORBIDDEN 1, REDIRECT 1, and 1 more reason.',
    ]);
  });

  // The row of a stage had an order of its own: it named a freeze and knew nothing of a start in doubt.
  test('is the same in the row of the stage, with the command for that stage', async () => {
    const now: NowAnswer = {
      ...calm,
      gate: { state: 'closed', reason: 'token refused' },
      inFlight: [{ kind: 'run', subject: 'smoke', since: at, state: 'in doubt' }],
    };
    const deps = await exampleDeps();
    const stages = consoleStages([{ label: 'prod', words: ['--stage', 'prod'], open: () => deps }]);

    const [row] = await Promise.all(stages.map(async (stage) => readStageRow(stage, async () => now)));

    expect(row?.worst).toEqual({ says: firstThings(now)[0]?.says, command: 'autopilot doctor --stage prod' });
    expect(row?.worst?.says).toContain('No answer yet to the start of smoke');
  });
});

test('a stage that cannot be read stands first, then one that needs a person', () => {
  const row = { stage: 's', kind: 'aws' as const, asOf: at };
  const rows = worstFirst([
    { ...row, name: 'well' },
    { ...row, name: 'needs', worst: { says: 'decide' } },
    { ...row, name: 'broken', problem: { code: 'DENIED', message: 'no' } },
  ]);

  expect(rows.map(({ name }) => name)).toEqual(['broken', 'needs', 'well']);
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
