/** When a start that waited for the stop of the run before it plans its own: `stopAfter` of the run is 30 minutes (ADR 57). */
import { describe, expect, test } from 'vitest';
import { momentAt } from '#functions/_runs/decide/decision.ts';
import { newStart } from '#functions/_runs/decide/send-start.ts';
import type { RunPolicy } from '#functions/_runs/decide/state.ts';
import { type CommandRow, newCommandRow, waitingRow } from '#shared/ledger/rows/command-row.ts';
import { aCommand } from '../../update-campaign-runs/harness/update-bench.ts';
import { aState, at, minute, policyOf, stored } from './command-states.ts';

const command = aCommand({ id: 'next', validFor: 'P1D' });
const fresh = newCommandRow(command, at(0));

function plannedStop(row: CommandRow, minutesLater: number): string | undefined {
  const policy = policyOf(row.command);
  const state = aState({ command: row.command, row: stored(row) });
  return newStart({ ...momentAt(state, policy, at(minutesLater)), start: policy.start as RunPolicy }).plannedStop?.at;
}

/** A start whose tries ended at these minutes: behind the stop, or waiting for something else. */
function tried(...waits: readonly (readonly [minutesLater: number, behind: 'stop' | 'gate'])[]): CommandRow {
  return waits.reduce<CommandRow>((row, [minutesLater, reason]) => {
    const wait = { delayMs: 30_000, why: reason };
    return waitingRow(row, reason === 'stop' ? { ...wait, isBehindStop: true } : wait, at(minutesLater));
  }, fresh);
}

describe('the planned stop of a start', () => {
  test('counts from the start itself, if it waited for no stop', () => {
    expect(plannedStop(fresh, 3)).toBe(minute(33));
    expect(plannedStop(tried([0, 'gate'], [1, 'gate']), 3)).toBe(minute(33));
  });

  test('counts from when it began to wait for the stop before it, however many tries that took', () => {
    expect(plannedStop(tried([0, 'stop']), 0.5)).toBe(minute(30));
    // A minute until the stop is due, a minute until the tick of the watcher, half a minute until the next try.
    expect(plannedStop(tried([0, 'stop'], [1, 'stop'], [2, 'stop']), 2.5)).toBe(minute(30));
  });

  test('takes only the wait for the stop off: what else it waited for leaves the run its time', () => {
    expect(plannedStop(tried([0, 'stop'], [1, 'gate'], [5, 'gate']), 9)).toBe(minute(38));
    expect(plannedStop(tried([0, 'gate'], [4, 'stop']), 5)).toBe(minute(34));
    expect(plannedStop(tried([0, 'stop'], [1, 'gate'], [10, 'stop']), 11)).toBe(minute(40));
  });

  test('leaves the run its whole time, if that wait would take half of it', () => {
    expect(plannedStop(tried([0, 'stop']), 14.9)).toBe(minute(30));
    expect(plannedStop(tried([0, 'stop']), 15)).toBe(minute(45));
  });

  test('counts from the delay of the start, if that ended while it waited', () => {
    const delayed = { ...command, startDelay: 'PT10M' };
    const row: CommandRow = { ...tried([5, 'stop']), command: delayed };

    expect(plannedStop(row, 9)).toBe(minute(40));
    expect(plannedStop(row, 12)).toBe(minute(40));
  });
});
