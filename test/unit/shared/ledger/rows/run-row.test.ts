import { describe, expect, test } from 'vitest';
import {
  afterLease,
  holdsStart,
  identityOf,
  newRunRow,
  runRowOf,
  type RunState,
  type SentStop,
  startOf,
  stateOf,
} from '#shared/ledger/rows/run-row.ts';
import { at, minute, sentStart } from '../../../functions/_runs/decide/command-states.ts';

const start = sentStart();
const stop: SentStop = { id: 'stop', issuedAt: minute(10), word: 'stopped' };
const lease = { owner: 'attempt-1', until: minute(1) };
const idle: RunState = { state: 'idle' };
const running = { state: 'running', start } as const;

const states: readonly [string, RunState][] = [
  ['idle', { state: 'idle', stopped: { id: 'stop', at: minute(1) }, noStartBefore: minute(6) }],
  ['starting', { state: 'starting', start, before: { state: 'idle' }, lease }],
  ['start-unknown', { state: 'start-unknown', start, landsUntil: minute(1), requestId: 'r' }],
  ['running', { ...running, landsUntil: minute(1) }],
  ['stopping', { state: 'stopping', stop, before: running, lease, notBefore: minute(2), appliedAt: minute(1) }],
  ['stop-unknown', { state: 'stop-unknown', stop, before: running, landsUntil: minute(1), appliedAt: minute(1) }],
];

describe('a row', () => {
  test.each(states)('gives its state and its identity back: %s', (_what, state) => {
    const latest = { action: 'start', id: 'at-ten', issuedAt: minute(0) } as const;
    const row = runRowOf({ campaignRunId: 'run', run: 'smoke', latest }, state);

    expect(stateOf(row)).toEqual(state);
    expect(identityOf(row)).toEqual({ campaignRunId: 'run', run: 'smoke', latest, update: undefined });
  });

  test.each(states)('is listed among the open rows unless it is idle: %s', (name, state) => {
    const { openState, openSince } = runRowOf({ campaignRunId: 'run' }, state);

    expect([openState, openSince]).toEqual(name === 'idle' ? [undefined, undefined] : ['RUN_IN_FLIGHT', minute(0)]);
  });

  test('that no command was about yet is idle', () => {
    expect(stateOf(newRunRow('run', 'smoke'))).toEqual(idle);
  });
});

describe('a lease that ended without an answer', () => {
  const starting: RunState = { state: 'starting', start, before: { state: 'idle' }, lease };
  const stopping: RunState = { state: 'stopping', stop, before: running, lease };

  test.each([starting, stopping])('changes nothing while it is live: $state', (state) => {
    expect(afterLease(state, at(0.9))).toBe(state);
  });

  test('makes a start unknown: its request left by the end of the lease, and lands within a minute', () => {
    expect(afterLease(starting, at(1))).toEqual({ state: 'start-unknown', start, landsUntil: minute(2) });
  });

  test('makes a stop unknown, and keeps what it returns to and when it was applied before', () => {
    const again: RunState = { ...stopping, appliedAt: minute(-3) };

    expect(afterLease(again, at(1))).toEqual({
      state: 'stop-unknown',
      stop,
      before: running,
      landsUntil: minute(2),
      appliedAt: minute(-3),
    });
  });

  test('keeps the later instant of an earlier request that may land', () => {
    const earlier: RunState = { ...stopping, landsUntil: minute(5) };

    expect(afterLease(earlier, at(1))).toMatchObject({ landsUntil: minute(5) });
  });

  test('of a stop without a lease is no end', () => {
    const { lease: _lease, ...waiting } = stopping;

    expect(afterLease(waiting, at(90))).toBe(waiting);
  });
});

test.each(states)(
  'the start that may be running is its own, or the one that its stop returns to: %s',
  (name, state) => {
    const hasStart = name !== 'idle';

    expect(startOf(state)).toEqual(hasStart ? start : undefined);
    expect([holdsStart(state, start.startId), holdsStart(state, 'another start')]).toEqual([hasStart, false]);
  },
);
