import { describe, expect, it } from 'vitest';
import type { RunsConfig } from '#functions/_runs/decide/state.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { playRandom, type RandomHistory } from './random-history.ts';
import { chosen } from './search.ts';
import { playHistory } from './play.ts';
import { arrivalsOf, commandOf, configOf, otherIds, scenarioOf, tenOClock } from './scenarios.ts';

/* Histories that the searches found, each with what used to happen. */

const minuteMs = 60_000;
const [smokeId] = otherIds;

describe('histories that once broke a promise', () => {
  it('I4: a start of another run that moved the campaign is not taken for this one', async () => {
    // The read-back was judged with the guard row as it was before the PATCH: the other start had
    // taken its place there since. "Applied", and it never ran.
    const commands = [commandOf('start', 10), commandOf('start', 0, { run: 'smoke' })];
    const config = configOf({
      confirm: true,
      overlap: 'allow',
      stopAfter: 'PT10M',
      more: { smoke: { pool: { kind: 'repeat', campaignRunId: smokeId } } },
    });
    const arrivals = arrivalsOf(commands, { firstMs: tenOClock + 11 * minuteMs, gapsMs: [20] });
    const notAppliedNoAnswer = 2;

    const played = await playHistory(scenarioOf({ arrivals, config, isCounted: true }), chosen([notAppliedNoAnswer]));

    expect(played.faults).toEqual([]);
    expect(played.outcomes['start-10']).not.toBe('applied');
  });

  it('I6: a start sent over a run, proven not to have begun, leaves that run its own planned stop', async () => {
    // Its own planned stop stayed armed: the run that it should have replaced went on for eight
    // hours more.
    const over = commandOf('start, overriding', 6, { stopAfter: 'PT8H', validFor: 'PT5M' });
    const config = configOf({ confirm: true, overlap: 'skip', stopAfter: 'PT30M' });
    const arrivals = arrivalsOf([commandOf('start', 0), over], {
      firstMs: tenOClock + minuteMs,
      gapsMs: [5 * minuteMs],
    });
    const [ok, notAppliedNoAnswer] = [0, 2];

    const played = await playHistory(
      scenarioOf({ arrivals, config, isCounted: true }),
      chosen([ok, notAppliedNoAnswer]),
    );

    expect(played.outcomes).toMatchObject({ 'start-0': 'applied', 'start-6': 'parked START_OUTCOME_UNKNOWN' });
    expect(played.stints).toHaveLength(1);
    expect((played.stints[0]?.endMs ?? Infinity) - (played.stints[0]?.fromMs ?? 0)).toBeLessThan(33 * minuteMs);
  });
});

/** One run that plans no stop, unless a command says otherwise. */
function randomOf(more: Partial<RandomHistory>): RandomHistory {
  return {
    arrivals: [],
    config: configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT5M' }),
    campaign: 'absent',
    fates: [],
    deaths: [],
    ...more,
  };
}

const at = (command: CampaignRunCommand, ms: number, copies: readonly number[] = []) => ({
  command,
  atMs: tenOClock + ms,
  skewMs: 0,
  copies,
});

describe('random histories that once broke a promise', () => {
  it('I2: a delivery that loses its round to another one of the same command does not end it again', async () => {
    // After a lost round the rows were read again, and nothing asked whether the command had its
    // outcome by then.
    const late = commandOf('start', 0, { validFor: 'PT5M' });
    const at2and4Ms = [2 / minuteMs, 4 / minuteMs];

    const { faults } = await playRandom(randomOf({ arrivals: [at(late, 10 * minuteMs, at2and4Ms)] }));

    expect(faults).toEqual([]);
  });

  it('I8: a start sent over a delayed one waits until that one has begun, so that its stop ends it', async () => {
    // The start that was delayed began after the planned stop of the one that was sent over it, and
    // nothing stopped it any more.
    const delayed = commandOf('start', 0, { startDelay: 'PT10M' });
    const arrivals = [at(delayed, 0), at(commandOf('start, overriding', 1), minuteMs)];

    const { faults } = await playRandom(randomOf({ arrivals }));

    expect(faults).toEqual([]);
  });

  it('I10: a repeat that the gateway did not take leaves the place of the first try', async () => {
    // The place kept the times of the repeat: the guards counted a run that no list showed.
    const unplanned = {
      stopAfter: undefined,
      guards: { target: 'chat-bot', overlap: 'skip', longestRun: 'PT1H' },
    } as const;
    const config = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT5M', more: { nightly: unplanned } });
    const start = commandOf('start', 0, { validFor: 'PT5M' });
    const fates = ['applied, no answer', 429] as const;

    const { faults } = await playRandom(randomOf({ config, fates, arrivals: [at(start, 0)], repeatsAfterMinutes: 54 }));

    expect(faults).toEqual([]);
  });

  it('I6: the stop of a start in doubt may end the run that its id had before, if that one is past its longest run', async () => {
    // No fault of the worker: the oracle took the older run for one that nothing else may end.
    const bounded = {
      stopAfter: undefined,
      guards: { target: 'chat-bot', overlap: 'skip', longestRun: 'PT1H' },
    } as const;
    const config = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT5M', more: { nightly: bounded } });
    const arrivals = [
      at(commandOf('start', 0), 0),
      at(commandOf('start', 31, { stopAfter: 'PT6M' }), 60 * minuteMs + 45),
    ];

    const { faults } = await playRandom(
      randomOf({ config, arrivals, fates: ['ok', 'hangs'], campaign: 'counts starts' }),
    );

    expect(faults).toEqual([]);
  });

  it('I8: the repeat that a person ordered plans another stop, for the run of its first request too', async () => {
    // No fault of the worker: the oracle counted the stop from the first request, and the repeat
    // began with a delay of its own.
    const delayed = commandOf('start', 0, { startDelay: 'PT10M', validFor: 'PT5M' });
    const base = configOf({ confirm: false, overlap: 'allow', stopAfter: 'PT2H' });
    const config = { ...base, gateway: { ...base.gateway, startsRepeatSafely: true } };
    const fates = ['applied late, no answer'] as const;

    const { faults, told } = await playRandom(
      randomOf({ config, fates, arrivals: [at(delayed, 5)], repeatsAfterMinutes: 0 }),
    );

    expect(faults).toEqual([]);
    expect(told()).toMatch(/start-0: applied .* started for .*; it may have run from/);
  });

  it('[E33] I8: a planned stop that a later stop took over goes out after all if the gateway refuses that one', async () => {
    // The refused stop was parked, the planned one ended as superseded, and the run went on.
    const stop = commandOf('stop', 6);
    const fates = ['ok', 'not applied, no answer', 422] as const;

    const { faults, told } = await playRandom(
      randomOf({ fates, arrivals: [at(commandOf('start', 0), 0), at(stop, 6 * minuteMs + 6)] }),
    );

    expect(faults).toEqual([]);
    expect(told()).toMatch(/stop-6: parked VALIDATION/);
    expect(told()).toMatch(/stop of aa by stop-due:/);
  });

  it('[E34] I1: a stop by name settles its run also if a deployment has removed that run meanwhile', async () => {
    // It found no run any more and was skipped. The row waited for it for ever, and with it each
    // later command.
    const base = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT5M' });
    const arrivals = [at(commandOf('stop by name', 1), 0), at(commandOf('stop', 0), 1)];

    const { faults, told } = await playRandom(
      randomOf({
        config: base,
        arrivals,
        fates: ['applied late, no answer'],
        purgedAtMinute: 0,
        deployed: { atMinute: 1, config: { ...base, runs: {} } },
      }),
    );

    expect(faults).toEqual([]);
    expect(told()).toMatch(/stop-1: applied/);
  });

  it.each([
    ['the id that starts again and again, stopped as the next one is due', undefined, 'PT30M'],
    ['the id that starts again and again, stopped half a minute before', undefined, 'PT29M30S'],
    ['a pool of ids, whose stops wait for the tick of the watcher', 48, 'PT30M'],
    ['a pool of ids, stopped half a minute before', 48, 'PT29M30S'],
  ])('design, 7: back to back for a day, no start is skipped (%s)', async (_what, ids, stopAfter) => {
    // Each start waited for the stop of the one before and planned its own so much later. After
    // some hours one found a run that had a minute to go.
    const starts = Array.from({ length: 48 }, (_, place) => {
      const lateMs = 700 + ((place * 1900) % 5000);
      return at(commandOf('start', place * 30), place * 30 * minuteMs + lateMs);
    });
    const pool = Array.from({ length: ids ?? 0 }, (_, place) => `018f0000-0000-7000-8000-0000000001${place + 10}`);
    const config = configOf({
      confirm: false,
      overlap: 'skip',
      stopAfter,
      ids: ids === undefined ? undefined : pool,
    });

    const { faults, told } = await playRandom(randomOf({ config, arrivals: starts, campaign: 'counts starts' }));

    expect(faults).toEqual([]);
    expect(told()).not.toContain('skipped');
    expect(told().match(/^.*start-\d+: applied/gm)).toHaveLength(starts.length);
  });
});

/** The same configuration with each run changed. */
const withEachRun = ({ runs, ...rest }: RunsConfig, change: Partial<ResolvedRun>): RunsConfig => ({
  ...rest,
  runs: Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, { ...run, ...change }])),
});

describe('histories that a reader of the code thought of, and that once broke a promise', () => {
  const pool = [1, 2, 3, 4].map((last) => `018f0000-0000-7000-8000-00000000000${last}`);
  const smoke = { pool: { kind: 'repeat', campaignRunId: smokeId } } as const;

  it.each([
    ['whole seconds', 1000, 400],
    ['whole minutes', minuteMs, 20_000],
  ])(
    '[E35] I2: two starts that a gateway shows in the same instant, in %s, are two',
    async (_what, lastRunAtMs, gapMs) => {
      // The reading was as before, so the second start counted as proven not to have begun, and was
      // sent again.
      const base = configOf({ confirm: true, overlap: 'allow', stopAfter: 'PT30M', more: { smoke } });
      const config = withEachRun(base, { confirm: { by: 'lastRunAt', within: 'PT30M' } });
      const second = commandOf('start', 0, { run: 'smoke', id: 'start-b' });
      const arrivals = [at(commandOf('start', 0), 0), at(second, gapMs)];

      const { faults } = await playRandom(
        randomOf({ config, lastRunAtMs, arrivals, fates: ['ok', 'applied, no answer'] }),
      );

      expect(faults).toEqual([]);
    },
  );

  it.each([
    ['has another target', { guards: { target: 'other', overlap: 'skip' } }],
    ['has another target, and starts beside others', { guards: { target: 'other', overlap: 'allow' } }],
  ] as const)('[E36] I2: a run in flight is not started again if its campaign %s since', async (_what, change) => {
    // The start asked the guard row of the new target alone. The place in the old one was held for
    // ever.
    const base = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT1H', more: { smoke } });
    const moved = { ...base, runs: { ...base.runs, nightly: { ...base.runs['nightly'], ...change } as ResolvedRun } };
    const later = commandOf('start', 300, { run: 'smoke' });
    const arrivals = [
      at(commandOf('start', 0), 0),
      at(commandOf('start', 10), 10 * minuteMs),
      at(later, 300 * minuteMs),
    ];

    const { faults, told } = await playRandom(
      randomOf({ config: base, deployed: { atMinute: 5, config: moved }, arrivals }),
    );

    expect(faults).toEqual([]);
    expect(told()).toMatch(/start-10: skipped OVERLAP/);
    expect(told()).toMatch(/start-300: applied/);
  });

  it('[E36] I1: a start behind the due stop of a run of another target waits, and is not received at once again', async () => {
    // Its wait was over by its clock, so it came back with no delay, a thousand times: it ended in the
    // dead-letter queue.
    const base = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT5M' });
    const guards = { target: 'other', overlap: 'skip' } as const;
    const moved = { ...base, runs: { ...base.runs, nightly: { ...base.runs['nightly'], guards } as ResolvedRun } };
    const arrivals = [at(commandOf('start', 0), 0), at(commandOf('start', 6), 7 * minuteMs)];

    const { faults, told } = await playRandom(
      randomOf({
        config: base,
        deployed: { atMinute: 6, config: moved },
        arrivals,
        watcherDown: { from: 4, lasts: 8 },
      }),
    );

    expect(faults).toEqual([]);
    expect(told()).toMatch(/start-6: applied/);
  });

  it('a run of another target is stopped first, if the campaign asks for that', async () => {
    const base = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT1H' });
    const guards = { target: 'other', overlap: 'stop-previous' } as const;
    const config = { ...base, runs: { nightly: { ...base.runs['nightly'], guards } as ResolvedRun } };
    const arrivals = [at(commandOf('start', 0), 0), at(commandOf('start', 10), 10 * minuteMs)];

    const { faults, told } = await playRandom(randomOf({ config: base, deployed: { atMinute: 5, config }, arrivals }));

    expect(faults).toEqual([]);
    expect(told()).toMatch(/stop of aa by stop-previous:[^]*start-10: applied/);
  });

  it('I10: no override sends a start over a run of another target, whose place nothing would free', async () => {
    const base = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT1H', more: { smoke } });
    const guards = { target: 'other', overlap: 'skip' } as const;
    const moved = { ...base, runs: { ...base.runs, nightly: { ...base.runs['nightly'], guards } as ResolvedRun } };
    const arrivals = [
      at(commandOf('start', 0), 0),
      at(commandOf('start, overriding', 10), 10 * minuteMs),
      at(commandOf('start', 300, { run: 'smoke' }), 300 * minuteMs),
    ];

    const { faults, told } = await playRandom(
      randomOf({ config: base, deployed: { atMinute: 5, config: moved }, arrivals }),
    );

    expect(faults).toEqual([]);
    expect(told()).toMatch(/start-10: skipped OVERLAP .*stop it first/);
    expect(told()).toMatch(/start-300: applied/);
  });

  it('[E36] I2: a run that an operator started by its id is not started again once it is configured', async () => {
    const [id = ''] = pool;
    const base = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT1H' });
    const extra = { pool: { kind: 'list', campaignRunIds: [id] } } as const;
    const config = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT1H', more: { extra } });
    const { run: _run, ...byId } = commandOf('start', 0, { campaignRunId: id });
    const arrivals = [at(byId, 0), at(commandOf('start', 10, { run: 'extra' }), 10 * minuteMs)];

    const { faults, told } = await playRandom(randomOf({ config: base, deployed: { atMinute: 5, config }, arrivals }));

    expect(faults).toEqual([]);
    expect(told()).toMatch(/start-10: skipped OVERLAP/);
  });

  it('[E37] I6: a stop that may still land is waited for after a later stop of the run was refused', async () => {
    // What may still land was forgotten with the refused stop, and it ended the next start.
    const config = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT1M' });
    const fates = ['ok', 'applied late, no answer', 422] as const;
    const arrivals = [
      at(commandOf('start', 0), 0),
      at(commandOf('stop', 2), 2 * minuteMs + 6),
      at(commandOf('start', 3), 2 * minuteMs + 20_000),
    ];

    const { faults } = await playRandom(randomOf({ config, fates, arrivals }));

    expect(faults).toEqual([]);
  });

  it('[E38] I9: a stop by name is refused once an attempt, however many runs it asks for', async () => {
    // Three runs with one 403 each used up the patience of the stop in its first attempt.
    const config = configOf({ confirm: false, overlap: 'allow', stopAfter: 'PT2H', ids: pool });
    const starts = [0, 1, 2].map((minute) => at(commandOf('start', minute), minute * minuteMs));
    const stop = at(commandOf('stop by name', 5), 5 * minuteMs);

    const { faults, told } = await playRandom(
      randomOf({ config, fates: ['ok', 'ok', 'ok', 403, 403, 403], arrivals: [...starts, stop] }),
    );

    expect(faults).toEqual([]);
    expect(told()).toMatch(/stop-5: applied/);
  });

  it.each([
    ['17 hours', 850, /stop-2: applied/],
    ['more than a day', 1500, /stop-2: parked HORIZON_EXCEEDED/],
  ])('[E39] I8, I14: no queue gives up a stop whose gateway takes no connection for %s', async (_what, tries, ends) => {
    // At its thousandth receive, after 17 hours, the message went to the dead-letter queue.
    const config = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT30H' });
    const fates = ['ok', ...Array.from({ length: tries }, () => 'not sent' as const)] as const;
    const arrivals = [at(commandOf('start', 0), 0), at(commandOf('stop', 2), 2 * minuteMs)];
    const watcherDown = { from: 1, lasts: 1500 };

    const { faults, told } = await playRandom(randomOf({ config, fates, arrivals, watcherDown }));

    expect(faults.filter((fault) => fault.includes('dead-letter'))).toEqual([]);
    expect(told()).toMatch(ends);
  });

  it.each([0, 20, 60, 120, 200])(
    '[E40] I11: a minimum gap holds between two starts of ours, %i ms apart',
    async (gapMs) => {
      // The campaign did not show the first one yet, and both were sent.
      const guards = { target: 'chat-bot', overlap: 'allow', minimumGap: 'PT12H' } as const;
      const more = { nightly: { guards }, smoke: { ...smoke, guards } };
      const config = configOf({ confirm: false, overlap: 'allow', stopAfter: 'PT30M', more });
      const second = commandOf('start', 0, { run: 'smoke', id: 'start-b' });
      const arrivals = [at(commandOf('start', 0), 0), at(second, gapMs)];

      const { faults, told } = await playRandom(randomOf({ config, lastRunAtMs: 1, arrivals }));

      expect(faults).toEqual([]);
      expect(told().match(/start of /g)).toHaveLength(1);
      expect(told()).toMatch(/skipped MINIMUM_GAP/);
    },
  );

  it('[E36] I5: a run under a new name obeys the stops of that name', async () => {
    // The row of a used id kept its old name, and the start was judged by the pool of that one.
    const before = configOf({ confirm: false, overlap: 'skip', stopAfter: 'PT5M', ids: pool });
    const { nightly } = before.runs;
    const after = { ...before, runs: { weekly: { ...nightly, name: 'weekly' } as ResolvedRun } };
    const arrivals = [
      at(commandOf('start', 0), 0),
      at(commandOf('stop by name', 90, { run: 'weekly' }), 90 * minuteMs),
      at(commandOf('start', 80, { run: 'weekly' }), 91 * minuteMs),
      ...[100, 120, 140].map((minute) => at(commandOf('start', minute, { run: 'weekly' }), minute * minuteMs)),
    ];

    const { faults, told } = await playRandom(
      randomOf({ config: before, deployed: { atMinute: 60, config: after }, arrivals }),
    );

    expect(faults).toEqual([]);
    expect(told()).toMatch(/start-80: superseded/);
    expect([...told().matchAll(/start of (\d\d) by start-1/g)].map(([, id]) => id)).toEqual(['01', '02', '03']);
  });

  // It came back every 30 s, and SQS gave it up at its thousandth receive.
  it.each([
    ['skip', 'PT5M'],
    ['stop-previous', 'PT20H'],
  ] as const)(
    'C10, I14: the queue keeps a start behind a stop that no gateway takes: %s',
    async (overlap, stopAfter) => {
      const fates = ['ok', ...Array.from({ length: 4000 }, () => 'not sent' as const)] as const;
      const config = configOf({ confirm: false, overlap, stopAfter, ids: pool });
      const arrivals = [at(commandOf('start', 0), 0), at(commandOf('start', 6, { validFor: 'PT20H' }), 6 * minuteMs)];

      const { faults } = await playRandom(randomOf({ config, campaign: 'absent', fates, arrivals }));

      expect(faults.filter((fault) => fault.includes('dead-letter'))).toEqual([]);
    },
  );
});
