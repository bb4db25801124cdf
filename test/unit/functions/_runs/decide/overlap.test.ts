/** What a start finds in flight: runs whose planned stop is due, or nearly, end before it and refuse nothing. */
import { describe, expect, test } from 'vitest';
import { isTooLate, judgeByGuards } from '#functions/_runs/decide/judge-start.ts';
import { momentAt } from '#functions/_runs/decide/decision.ts';
import type { CommandState, Moment, Policy, RunPolicy } from '#functions/_runs/decide/state.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { newGuardRow, type Reservation } from '#shared/ledger/rows/guard-row.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { aCommand, smokeId } from '../../update-campaign-runs/harness/update-bench.ts';
import { aState, at, minute, policyOf, runIn, sentStart, stored } from './command-states.ts';

const command = aCommand({ id: 'next', validFor: 'P1D' });
const run = (policy: Policy): RunPolicy => policy.start as RunPolicy;

const then = (state: CommandState, minutesLater: number): Moment =>
  momentAt(state, policyOf(state.command), at(minutesLater));

const reservation = (fields: Partial<Reservation> = {}): Reservation => ({
  campaignRunId: 'other',
  startId: 'earlier',
  issuedAt: minute(-60),
  since: minute(-60),
  until: minute(30),
  plannedStopAt: minute(30),
  ...fields,
});

const inFlight = (...reservations: readonly Reservation[]): CommandState =>
  aState({ command, guard: stored({ ...newGuardRow('chat-bot'), reservations }) });

/** The planned stop of the other run, with this outcome. */
function withDueStop(state: CommandState, kind: 'parked' | 'applied'): CommandState {
  const id = commandIds.dueStop('other', minute(30), 'earlier');
  const row: CommandRow = {
    ...newCommandRow(aCommand({ id, action: 'stop' }), at(0)),
    outcome: { kind, at: minute(0) },
  };
  return { ...state, others: new Map([[id, stored(row)]]) };
}

function found(state: CommandState, minutesLater: number, options: Parameters<typeof policyOf>[1] = {}) {
  const policy = policyOf(command, options);
  const moment = momentAt(state, policy, at(minutesLater));
  const judged = judgeByGuards({ ...moment, start: run(policy) });
  const [ending] = judged.ending;
  return [judged.kind === 'skip' ? judged.reason : judged.kind, ending?.campaignRunId];
}

describe('a run in flight', () => {
  test.each([
    ['refuses the start while its stop is far', 28.9, ['OVERLAP', undefined]],
    ['is waited for once its stop is due within a minute', 29, ['pass', 'other']],
    ['is waited for once its stop is due', 45, ['pass', 'other']],
  ])('%s', (_what, later, expected) => {
    expect(found(inFlight(reservation()), later)).toEqual(expected);
  });

  test('refuses the start if its planned stop is parked', () => {
    expect(found(withDueStop(inFlight(reservation()), 'parked'), 45)).toEqual(['OVERLAP', undefined]);
  });

  test('without a planned stop refuses the start until its time is over', () => {
    const open = reservation({ plannedStopAt: undefined });

    expect(found(inFlight(open), 29.9)).toEqual(['OVERLAP', undefined]);
    expect(found(inFlight(open), 30)).toEqual(['pass', undefined]);
  });

  test('of several that end the first one is waited for, and one that does not end refuses', () => {
    const [early, late] = [
      reservation({ plannedStopAt: minute(20) }),
      reservation({ campaignRunId: 'late', startId: 'late', plannedStopAt: minute(25) }),
    ];
    const far = reservation({ campaignRunId: 'far', startId: 'far', plannedStopAt: minute(90) });

    expect(found(inFlight(late, early), 30)).toEqual(['pass', 'other']);
    expect(found(inFlight(late, early, far), 30)[0]).toBe('OVERLAP');
  });

  test('is no matter if starts may overlap, unless it is the same run id', () => {
    const same = reservation({ campaignRunId: smokeId });

    expect(found(inFlight(reservation()), 0, { overlap: 'allow' })).toEqual(['pass', undefined]);
    expect(found(inFlight(same), 0, { overlap: 'allow' })).toEqual(['OVERLAP', undefined]);
    expect(found(inFlight(same), 30, { overlap: 'allow' })).toEqual(['pass', smokeId]);
  });

  test('is stopped first with stop-previous, unless its own stop is about to end it', () => {
    expect(found(inFlight(reservation()), 0, { overlap: 'stop-previous' })[0]).toBe('stop-first');
    expect(found(inFlight(reservation()), 30, { overlap: 'stop-previous' })).toEqual(['pass', 'other']);
  });
});

describe('a start in doubt is too late to be repeated', () => {
  const start = sentStart({ startId: 'next' });
  const doubted = aState({ command: aCommand({ id: 'next', validFor: 'PT10M' }) });

  test.each([
    ['not while it is valid', doubted, 10, false],
    ['once its validity is over', doubted, 10.1, true],
    ['once its planned stop is due', aState({ command }), 30, true],
    [
      'once a later stop of the run is recorded',
      aState({
        command,
        run: runIn(
          { state: 'start-unknown', start, landsUntil: minute(1) },
          { latest: { action: 'stop', id: 'stop', issuedAt: minute(1) } },
        ),
      }),
      5,
      true,
    ],
  ])('%s', (_what, state, later, expected) => {
    expect(isTooLate(then(state, later), start)).toBe(expected);
  });

  test('whatever its validity, if an operator overrode that', () => {
    const override = { guards: ['validity' as const], reason: 'CHG-9' };
    const insisted = aState({ command: { ...doubted.command, override } });

    expect(isTooLate(then(insisted, 20), start)).toBe(false);
    expect(isTooLate(then(insisted, 30), start)).toBe(true);
  });
});
