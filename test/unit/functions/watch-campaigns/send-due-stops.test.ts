import { expect, test } from 'vitest';
import { ledgerOfMode } from '../../../../functions/_runtime/observe.ts';
import type { SendDeps } from '../../../../functions/watch-campaigns/deps.ts';
import { sendDueStops } from '../../../../functions/watch-campaigns/send-due-stops.ts';
import { type CommandItem, ledgerKeys, type RunItem } from '../../../../shared/ledger/items.ts';
import { createMemoryLedger } from '../../../../shared/ledger/memory-ledger.ts';
import { type CampaignRunCommand, parseCampaignRunCommand } from '../../../../shared/messages/campaign-run-command.ts';

const uuid = (n: number) => `019ba000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const minute = 60_000;
const dueAt = Date.parse('2026-11-21T06:00:00.000Z');

/** A run that was started at ten and is to be stopped at six. */
function aRun(n: number, fields: Partial<RunItem> = {}): RunItem {
  return {
    pk: ledgerKeys.run(uuid(n)),
    kind: 'run',
    campaignRunId: uuid(n),
    wish: { action: 'start', issuedAt: '2026-11-20T22:00:00.000Z', id: `start-${n}` },
    stopDue: { at: new Date(dueAt).toISOString(), commandId: `start-${n}`, status: 'stopped' },
    openState: 'RUN_IN_FLIGHT',
    openSince: '2026-11-20T22:00:00.000Z',
    ...fields,
  };
}

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
      id: `stop-due:${uuid(1)}@2026-11-21T06:00:00.000Z`,
      action: 'stop',
      campaignRunId: uuid(1),
      issuedAt: '2026-11-21T06:00:00.000Z',
      origin: { kind: 'watcher', name: 'watch-campaigns' },
    },
  });
});

test('leaves a run alone whose time has not come, and one that plans no stop', async () => {
  const bench = createBench();
  const { stopDue: _stopDue, ...unplanned } = aRun(2);
  await bench.ledger.write(undefined, aRun(1));
  await bench.ledger.write(undefined, unplanned);

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

test('while the stage observes, a run that it began for real and whose stop is overdue is late, and nobody sends that stop', async () => {
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
  await bench.ledger.write<CommandItem>(undefined, {
    pk: ledgerKeys.command(command.id),
    kind: 'command',
    id: command.id,
    command,
    outcome: { kind: 'parked', reason: 'RUN_NOT_FOUND', at: '2026-11-21T06:10:00.000Z' },
  });

  for (let hours = 1; hours < 5; hours += 1) await bench.tick(dueAt + hours * 60 * minute);

  expect(bench.bodies).toHaveLength(1);
});

test('a start whose clock was ahead does not outrank its own stop', async () => {
  const bench = createBench();
  const issuedAt = '2026-11-21T06:03:00.000Z';
  await bench.ledger.write(undefined, aRun(1, { wish: { action: 'start', issuedAt, id: 'start-1' } }));

  await bench.tick(dueAt);

  expect(bench.commands()[0]?.issuedAt).toBe('2026-11-21T06:03:00.001Z');
});

test('finds each of many runs, and forgets those that are stopped', async () => {
  const bench = createBench();
  for (let n = 0; n < 250; n += 1) await bench.ledger.write(undefined, aRun(n));

  await bench.tick(dueAt);
  expect(bench.bodies).toHaveLength(250);
  for (let n = 0; n < 250; n += 1) {
    const row = await bench.ledger.read<RunItem>(ledgerKeys.run(uuid(n)));
    const { openState: _state, openSince: _since, ...stopped } = aRun(n);
    await bench.ledger.write<RunItem>(row, stopped);
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
