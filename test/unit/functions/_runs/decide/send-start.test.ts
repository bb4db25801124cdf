import { describe, expect, test } from 'vitest';
import { startInput, startTimes } from '#functions/_runs/decide/send-start.ts';
import type { RunPolicy } from '#functions/_runs/decide/state.ts';
import { runNamed, startPolicy } from '#functions/_runs/run-policy.ts';
import { aCommand, configWith, nightlyIds } from '../../update-campaign-runs/harness/update-bench.ts';
import { at, minute } from './command-states.ts';

const eightHours = { inFlightFor: 'PT8H', stopAfter: 'PT8H' };

describe('the instants of a start', () => {
  test('without a delay begin now', () => {
    expect(startTimes(aCommand(), eightHours, at(3), configWith({}))).toEqual({
      effectAt: minute(3),
      startAt: undefined,
      until: minute(483),
      plannedStop: { at: minute(483), word: 'stopped' },
    });
  });

  test('with a delay begin that long after the command was issued, and the gateway is sent that instant', () => {
    expect(startTimes(aCommand({ startDelay: 'PT15M' }), eightHours, at(3), configWith({}))).toEqual({
      effectAt: minute(15),
      startAt: minute(15),
      until: minute(495),
      plannedStop: { at: minute(495), word: 'stopped' },
    });
  });

  test.each([15, 40])(
    'with a delay that has passed (%i minutes later) begin now, without one for the gateway',
    (later) => {
      const times = startTimes(aCommand({ startDelay: 'PT15M' }), eightHours, at(later), configWith({}));

      expect(times).toMatchObject({ effectAt: minute(later), startAt: undefined });
    },
  );

  test('without stopAfter plan no stop: the run counts as in flight for its longest run', () => {
    const times = startTimes(aCommand(), { inFlightFor: 'PT10H' }, at(0), configWith({}));

    expect(times).toMatchObject({ until: minute(600), plannedStop: undefined });
  });
});

describe('the PATCH of a start', () => {
  const config = configWith({});
  const send = (fields: Parameters<typeof aCommand>[0], approvals = 0, effectAt = minute(0)) => {
    const command = aCommand({ run: 'nightly', ...fields });
    const policy = startPolicy(command, runNamed('nightly', config), config) as RunPolicy;
    const about = { command, policy, campaignRunId: nightlyIds[0] };
    return startInput(about, { effectAt, startAt: undefined, approvals }, config);
  };

  test('names the run by the date of its effect on the wall of the stage’s zone', () => {
    expect(send({}, 0, '2026-11-20T23:59:00Z').name).toBe('nightly 2026-11-20');
    // Summer time: midnight in Dublin is an hour before that in UTC.
    expect(send({}, 0, '2026-06-20T23:30:00Z').name).toBe('nightly 2026-06-21');
  });

  test('carries the name of the command before that of the configuration', () => {
    expect(send({ name: 'by hand' }).name).toBe('by hand');
  });

  test('has one key for every try of a command, and another for a repeat that a person ordered', () => {
    const keys = [send({ id: 'a' }), send({ id: 'a' }), send({ id: 'a' }, 1), send({ id: 'b' })];
    const [first, again, repeated, other] = keys.map(({ idempotencyKey }) => idempotencyKey);

    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(again).toBe(first);
    expect(new Set([first, repeated, other]).size).toBe(3);
  });
});
