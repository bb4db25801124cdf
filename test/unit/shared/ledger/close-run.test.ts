import { describe, expect, test } from 'vitest';
import { closeRun, keysToClose, type RowsToClose } from '#shared/ledger/close-run.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { type GuardRow, reservationsAt } from '#shared/ledger/rows/guard-row.ts';
import type { RunRow, RunState, SentStart } from '#shared/ledger/rows/run-row.ts';
import { runsInFlight } from '#shared/ledger/open-rows.ts';
import { aRunRow, aSentStart, aStartWithStop, rowsOfStart } from '../../../builders/run-rows.ts';

const ends = new Date('2026-11-21T06:00:00.000Z');
const before = new Date(ends.getTime() - 1);
const landsUntil = '2026-11-20T22:01:00.000Z';
const dismissed = { startId: 'start-1', at: '2026-11-21T06:00:00.000Z' };

function stored<Row extends LedgerRow>(row: Row): Stored<Row> {
  return { ...row, version: 1, writer: 'w1' };
}

/** The command row of the start. */
function itsCommand(fields: Partial<CommandRow> = {}): Stored<CommandRow> {
  const origin = { kind: 'schedule', name: 'weeknights' } as const;
  const issuedAt = '2026-11-20T22:00:00.000Z';
  const command = { version: 1, id: 'start-1', action: 'start', run: 'nightly', issuedAt, origin } as const;
  return stored({ ...newCommandRow(command, new Date(issuedAt)), ...fields });
}

const parked = itsCommand({ outcome: { kind: 'parked', reason: 'START_OUTCOME_UNKNOWN', at: landsUntil } });

function rowsOf(state: RunState, more: Partial<RowsToClose> = {}): RowsToClose {
  const run = aRunRow(state);
  const { guard, pool } = rowsOfStart(run);
  return { run: stored(run), guard: stored(guard), pool: stored(pool), ...more };
}

const running = (start: SentStart, more: Partial<RowsToClose> = {}) => rowsOf({ state: 'running', start }, more);
const unknown = (start: SentStart, more: Partial<RowsToClose> = {}) =>
  rowsOf({ state: 'start-unknown', start, landsUntil }, more);

/** What is in flight, reserved and live once the changes are written. */
function after(rows: RowsToClose, now: Date) {
  const changes = closeRun(rows, now) ?? [];
  const written = new Map(changes.map(({ after: row }) => [row.pk, stored(row)] as const));
  const run = (written.get(rows.run.pk) ?? rows.run) as Stored<RunRow>;
  const guard = (written.get(rows.guard?.pk ?? '') ?? rows.guard) as Stored<GuardRow>;
  const pool = written.get(rows.pool?.pk ?? '') ?? rows.pool;
  return {
    isOpen: run.openState === 'RUN_IN_FLIGHT',
    inFlight: runsInFlight([run], now).length,
    reserved: reservationsAt(guard, now).length,
    live: pool?.kind === 'run-id-pool' ? pool.live.length : 0,
    run,
  };
}

describe('a run that plans no stop', () => {
  test('is closed once its time is over: no list, no guard and no stop by name knows it any more', () => {
    const rows = running(aSentStart());

    expect(after(rows, ends)).toMatchObject({ isOpen: false, inFlight: 0, reserved: 0, live: 0 });
  });

  test('is left alone before that', () => {
    expect(closeRun(running(aSentStart()), before)).toBeUndefined();
  });

  test('is never closed while its start has no outcome', () => {
    expect(closeRun(unknown(aSentStart(), { start: itsCommand() }), ends)).toBeUndefined();
  });

  test('is closed with a start in doubt only if that start can land no more, whatever the clocks say', () => {
    const start = aSentStart({ until: '2026-11-20T22:02:00.000Z' });
    const rows = unknown(start, { start: parked });

    expect(closeRun(rows, new Date('2026-11-20T22:05:59.999Z'))).toBeUndefined();
    expect(after(rows, new Date('2026-11-20T22:06:00.000Z'))).toMatchObject({ isOpen: false, reserved: 0, live: 0 });
  });

  test('is left to its stop while that is under way', () => {
    const stop = { id: 'stop-1', issuedAt: '2026-11-21T05:59:00.000Z', word: 'stopped' };
    const beforeStop = { state: 'running', start: aSentStart() } as const;

    expect(closeRun(rowsOf({ state: 'stopping', stop, before: beforeStop }), ends)).toBeUndefined();
  });

  test('takes no new start while an earlier request of it may still land', () => {
    const late = '2026-11-21T05:58:00.000Z';
    const rows = rowsOf({ state: 'running', start: aSentStart(), landsUntil: late });

    expect(after(rows, ends).run).toMatchObject({ state: 'idle', noStartBefore: '2026-11-21T06:03:00.000Z' });
  });
});

describe('a run with a planned stop', () => {
  test('is not closed, however late: only its stop or a person ends it', () => {
    const now = new Date('2026-11-24T06:00:00.000Z');

    expect(closeRun(running(aStartWithStop()), now)).toBeUndefined();
    expect(closeRun(unknown(aStartWithStop(), { start: parked }), now)).toBeUndefined();
  });

  test('is closed if a person dismissed that stop', () => {
    const rows = running(aStartWithStop(), { dismissed });

    expect(after(rows, ends)).toMatchObject({ isOpen: false, inFlight: 0, reserved: 0, live: 0 });
  });

  test.each([
    ['another start', { ...dismissed, startId: 'start-0' }],
    ['another instant', { ...dismissed, at: '2026-11-21T07:00:00.000Z' }],
  ])('is left alone if the dismissed stop belongs to %s', (_name, other) => {
    expect(closeRun(running(aStartWithStop(), { dismissed: other }), ends)).toBeUndefined();
  });

  test('whose start has no outcome loses the dismissed stop, and is closed once that start has one', () => {
    const first = after(unknown(aStartWithStop(), { start: itsCommand(), dismissed }), ends);
    expect(first).toMatchObject({ isOpen: true, inFlight: 0, reserved: 0 });

    const rows = { ...unknown(aStartWithStop()), run: first.run, start: parked };

    expect(after(rows, ends)).toMatchObject({ isOpen: false, live: 0 });
  });
});

test('names the rows that closing needs: guard, command and pool', () => {
  expect(keysToClose(running(aSentStart()).run)).toEqual(['guard#chat-bot', 'command#start-1', 'run-id-pool#nightly']);
});
