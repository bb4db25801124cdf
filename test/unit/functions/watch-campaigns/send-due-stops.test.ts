import { describe, expect, test } from 'vitest';
import { ledgerOfMode } from '#functions/_handler/observe.ts';
import type { SendDeps } from '#functions/watch-campaigns/watched-campaign.ts';
import { sendDueStops } from '#functions/watch-campaigns/due-stops.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { newRunIdPool } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { RunRow, RunState, SentStart } from '#shared/ledger/rows/run-row.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { aRunRow, aSentStart, aStartWithStop } from '../../../builders/run-rows.ts';
import { type CampaignRunCommand, parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { anEnded, aStart } from './watch-bench.ts';

const uuid = (n: number) => `019ba000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const minute = 60_000;
const dueAt = Date.parse('2026-11-21T06:00:00.000Z');

/** A run that was started at ten and is to be stopped at six. */
function aRun(n: number, fields: Partial<SentStart> = {}): RunRow {
  return aRunIn(n, { state: 'running', start: aStartWithStop({ startId: `start-${n}`, ...fields }) });
}

function aRunIn(n: number, state: RunState): RunRow {
  return aRunRow(state, { campaignRunId: uuid(n) });
}

/** A person's stop that a run accepted at one in the morning. */
const aStop = { id: 'by-hand', issuedAt: '2026-11-21T01:00:00.000Z', word: 'stopped' };
const oneOClock = Date.parse(aStop.issuedAt);

/** Ticks over a ledger in memory, with a clock and a queue that remember. */
function createBench() {
  const ledger = createMemoryLedger();
  const bodies: string[] = [];
  const lines: string[] = [];
  const counts: [string, number][] = [];
  const line = (_event: string, sentence: string) => void lines.push(sentence);

  return {
    ledger,
    lines,
    counts,
    commands: () => bodies.map((body): CampaignRunCommand => JSON.parse(body)),
    bodies,
    tick: (nowMs: number, deps: Partial<SendDeps> = {}) =>
      sendDueStops({
        ledger,
        commands: { send: async (body) => void bodies.push(body) },
        reports: {
          log: { debug: line, info: line, warn: line, error: line },
          count: (metric, value) => void counts.push([metric, value]),
        },
        now: () => new Date(nowMs),
        ...deps,
      }),
  };
}

test('sends the stop of a run whose time has come, as a command that the worker takes', async () => {
  const bench = createBench();
  await bench.ledger.write(undefined, aRun(1));

  const answer = await bench.tick(dueAt);

  expect(answer).toEqual({ inFlight: 1, due: 1, late: 0 });
  expect(parseCampaignRunCommand(bench.bodies[0] ?? '', new Date(dueAt))).toMatchObject({
    ok: true,
    command: {
      id: commandIds.dueStop(uuid(1), '2026-11-21T06:00:00.000Z', 'start-1'),
      action: 'stop',
      campaignRunId: uuid(1),
      issuedAt: '2026-11-21T06:00:00.000Z',
      plannedBy: { startId: 'start-1', at: '2026-11-21T06:00:00.000Z' },
      origin: { kind: 'watcher', name: 'watch-campaigns' },
    },
  });
});

test('leaves a run alone whose time has not come, and one that plans no stop', async () => {
  const bench = createBench();
  await bench.ledger.write(undefined, aRun(1));
  await bench.ledger.write(undefined, aRun(2, { plannedStop: undefined }));

  await bench.tick(dueAt - 1);

  expect(bench.bodies).toEqual([]);
  expect(bench.counts).toEqual([['StopsLate', 0]]);
});

test('sends a stop once, however many ticks find it due, and again after an hour without an outcome', async () => {
  const bench = createBench();
  await bench.ledger.write(undefined, aRun(1));

  for (let minutes = 0; minutes < 60; minutes += 1) await bench.tick(dueAt + minutes * minute);
  expect(bench.bodies).toHaveLength(1);
  await bench.tick(dueAt + 60 * minute);

  const ids = bench.commands().map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

test('sends the stop by the first tick after everything was down, and says that it is late', async () => {
  const bench = createBench();
  await bench.ledger.write(undefined, aRun(1));

  const answer = await bench.tick(dueAt + 30 * minute);

  expect(answer).toMatchObject({ late: 1 });
  expect(bench.commands()[0]?.reason).toMatch(/planned by its start \(start-1\) for .*, sent 30 minutes late$/);
  expect(bench.counts).toEqual([['StopsLate', 1]]);
});

test('while the stage observes, a run that it began for real and whose stop is overdue is late, and that stop is not sent', async () => {
  const bench = createBench();
  const observing = { ledger: ledgerOfMode('observe', bench.ledger), acting: ledgerOfMode('act', bench.ledger) };
  await bench.ledger.write(undefined, aRun(1));
  await observing.ledger.write(undefined, aRun(2));

  const answer = await bench.tick(dueAt + 30 * minute, observing);

  expect(answer).toEqual({ inFlight: 1, due: 1, late: 2 });
  expect(bench.counts).toEqual([['StopsLate', 2]]);
  expect(bench.commands().map(({ campaignRunId }) => campaignRunId)).toEqual([uuid(2)]);
});

test('does not send a stop again that a person has to decide about', async () => {
  const bench = createBench();
  await bench.ledger.write(undefined, aRun(1));
  await bench.tick(dueAt);
  const command = bench.commands()[0];
  if (command === undefined) throw new Error('no command');
  await bench.ledger.write<CommandRow>(undefined, {
    pk: ledgerKeys.command(command.id),
    kind: 'command',
    id: command.id,
    command,
    outcome: { kind: 'parked', reason: 'RUN_NOT_FOUND', at: '2026-11-21T06:10:00.000Z' },
  });

  for (let hours = 1; hours < 5; hours += 1) await bench.tick(dueAt + hours * 60 * minute);

  expect(bench.bodies).toHaveLength(1);
});

test.each([
  ['in doubt', { state: 'start-unknown', start: aStartWithStop(), landsUntil: '2026-11-20T22:01:00.000Z' }],
  [
    'under another stop',
    {
      state: 'stopping',
      stop: aStop,
      before: { state: 'running', start: aStartWithStop() },
      notBefore: '2026-11-21T09:00:00.000Z',
    },
  ],
  [
    'under another stop that was not answered',
    {
      state: 'stop-unknown',
      stop: aStop,
      before: { state: 'running', start: aStartWithStop() },
      landsUntil: '2026-11-21T07:00:00.000Z',
    },
  ],
] satisfies readonly (readonly [string, RunState])[])(
  'sends the planned stop of a start that is %s',
  async (_name, state) => {
    const bench = createBench();
    await bench.ledger.write(undefined, aRunIn(1, state));

    await bench.tick(dueAt);

    const planned = commandIds.dueStop(uuid(1), '2026-11-21T06:00:00.000Z', 'start-1');
    expect(bench.commands().map(({ id }) => id)).toContain(planned);
  },
);

test('two starts of one run that are due at one instant have planned stops of their own', async () => {
  const bench = createBench();
  await bench.ledger.write(undefined, aRun(1));
  await bench.tick(dueAt);
  const row = await bench.ledger.read<RunRow>(ledgerKeys.run(uuid(1)));
  await bench.ledger.write(row, aRun(1, { startId: 'start-2' }));

  await bench.tick(dueAt + minute);

  expect(bench.commands().map(({ plannedBy }) => plannedBy?.startId)).toEqual(['start-1', 'start-2']);
  expect(new Set(bench.commands().map(({ id }) => id)).size).toBe(2);
});

async function throttled(): Promise<never> {
  throw new Error('throttled');
}

describe('a stop that a run has accepted', () => {
  const stopping = aRunIn(1, {
    state: 'stopping',
    stop: aStop,
    before: { state: 'running', start: aSentStart() },
  });
  const command: CampaignRunCommand = {
    version: 1,
    id: 'by-hand',
    action: 'stop',
    run: 'nightly',
    issuedAt: aStop.issuedAt,
    origin: { kind: 'operator', name: 'ann' },
  };
  const itsRow = (fields: Partial<CommandRow> = {}): CommandRow => ({
    pk: ledgerKeys.command('by-hand'),
    kind: 'command',
    id: 'by-hand',
    command,
    ...fields,
  });
  const tried = (nextTryAt: string) => ({ attempt: { crashes: 0, since: aStop.issuedAt, tries: 1, nextTryAt } });

  test('is sent again once no worker has tried it for an hour, and then each hour', async () => {
    const bench = createBench();
    await bench.ledger.write(undefined, stopping);
    await bench.ledger.write(undefined, itsRow(tried('2026-11-21T01:01:00.000Z')));

    await bench.tick(oneOClock + 60 * minute);
    expect(bench.bodies).toEqual([]);
    for (let minutes = 61; minutes < 121; minutes += 1) await bench.tick(oneOClock + minutes * minute);
    expect(bench.commands()).toEqual([command]);
    await bench.tick(oneOClock + 121 * minute);

    expect(bench.commands()).toEqual([command, command]);
    expect(bench.counts.every(([, late]) => late === 0)).toBe(true);
  });

  test('is left alone while workers try it', async () => {
    const bench = createBench();
    await bench.ledger.write(undefined, stopping);
    await bench.ledger.write(undefined, itsRow(tried('2026-11-21T05:59:00.000Z')));

    await bench.tick(dueAt);

    expect(bench.bodies).toEqual([]);
  });

  test('that cannot be read keeps no planned stop from being sent, and the tick fails', async () => {
    const bench = createBench();
    await bench.ledger.write(undefined, stopping);
    await bench.ledger.write(undefined, aRun(2));

    await expect(bench.tick(dueAt, { ledger: { ...bench.ledger, readMany: throttled } })).rejects.toThrow('throttled');

    expect(bench.commands().map(({ campaignRunId }) => campaignRunId)).toEqual([uuid(2)]);
  });

  test('is not sent again once it has its outcome', async () => {
    const bench = createBench();
    await bench.ledger.write(undefined, stopping);
    await bench.ledger.write(undefined, itsRow({ outcome: { kind: 'applied', at: aStop.issuedAt } }));

    await bench.tick(dueAt);

    expect(bench.bodies).toEqual([]);
  });

  test.each([
    ['by uuid', undefined, { campaignRunId: uuid(1) }],
    ['by name', { id: 'by-hand', issuedAt: aStop.issuedAt }, { run: 'nightly' }],
  ])('%s, whose worker died at its first try, is made of what the run recorded', async (_name, latestStop, target) => {
    const bench = createBench();
    await bench.ledger.write(undefined, stopping);
    await bench.ledger.write(undefined, { ...newRunIdPool('nightly'), latestStop });

    await bench.tick(oneOClock + 60 * minute);

    expect(parseCampaignRunCommand(bench.bodies[0] ?? '', new Date(oneOClock + 60 * minute))).toMatchObject({
      ok: true,
      command: { id: 'by-hand', action: 'stop', issuedAt: aStop.issuedAt, ...target },
    });
  });

  test('that is the planned one is sent once a tick, not twice', async () => {
    const bench = createBench();
    const at = '2026-11-21T06:00:00.000Z';
    const stop = { id: commandIds.dueStop(uuid(1), at, 'start-1'), issuedAt: at, word: 'stopped' };
    const before = { state: 'running', start: aStartWithStop() } as const;
    await bench.ledger.write(undefined, aRunIn(1, { state: 'stopping', stop, before }));

    await bench.tick(dueAt + 61 * minute);

    expect(bench.bodies).toHaveLength(1);
  });
});

describe('a start in doubt whose message is lost', () => {
  const command = aStart({ id: 'start-1' });
  const doubted = { state: 'start-unknown', start: aSentStart(), landsUntil: '2026-11-20T22:01:00.000Z' } as const;
  const tenOClock = Date.parse('2026-11-20T22:00:00.000Z');

  test('is sent again as it was sent once no worker has tried it for an hour', async () => {
    const bench = createBench();
    await bench.ledger.write(undefined, aRunIn(1, doubted));
    await bench.ledger.write(undefined, newCommandRow(command, new Date(tenOClock)));

    await bench.tick(tenOClock + 59 * minute);
    expect(bench.bodies).toEqual([]);
    await bench.tick(tenOClock + 60 * minute);

    expect(bench.commands()).toEqual([command]);
  });

  test('is not sent again once it has its outcome', async () => {
    const bench = createBench();
    await bench.ledger.write(undefined, aRunIn(1, doubted));
    await bench.ledger.write(undefined, anEnded(command, '2026-11-20T22:05:00.000Z'));

    await bench.tick(tenOClock + 90 * minute);

    expect(bench.bodies).toEqual([]);
  });
});

test('finds each of many runs, and forgets those that are stopped', async () => {
  const bench = createBench();
  for (let n = 0; n < 250; n += 1) await bench.ledger.write(undefined, aRun(n));

  await bench.tick(dueAt);
  expect(bench.bodies).toHaveLength(250);
  for (let n = 0; n < 250; n += 1) {
    const row = await bench.ledger.read<RunRow>(ledgerKeys.run(uuid(n)));
    await bench.ledger.write<RunRow>(row, aRunIn(n, { state: 'idle' }));
  }
  await bench.tick(dueAt + minute);

  expect(await bench.ledger.read(ledgerKeys.sentCommands('due-stops'))).toMatchObject({ sent: {} });
});

test('a tick that dies between sending and remembering makes the next one send the same command', async () => {
  const bench = createBench();
  await bench.ledger.write(undefined, aRun(1));
  const dying: SendDeps['ledger'] = {
    ...bench.ledger,
    write: async () => {
      throw new Error('killed');
    },
  };

  await expect(bench.tick(dueAt, { ledger: dying })).rejects.toThrow('killed');
  await bench.tick(dueAt + minute);

  expect(new Set(bench.commands().map(({ id }) => id)).size).toBe(1);
  expect(bench.bodies).toHaveLength(2);
});

test('one queue that fails keeps no other stop from being sent at the next tick', async () => {
  const bench = createBench();
  await bench.ledger.write(undefined, aRun(1));
  await bench.ledger.write(undefined, aRun(2));
  const failing = {
    send: async () => {
      throw new Error('the queue is not there');
    },
  };

  await expect(bench.tick(dueAt, { commands: failing })).rejects.toThrow('the queue is not there');
  await bench.tick(dueAt + minute);

  expect(bench.commands().map(({ campaignRunId }) => campaignRunId)).toEqual([uuid(1), uuid(2)]);
});
