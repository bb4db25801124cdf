import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunsConfig } from '#functions/_runs/decide/state.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { propertyRuns } from '../../builders/property-runs.ts';
import {
  type Arrival,
  atMinute,
  type Chance,
  type Death,
  type Fate,
  type History,
  minuteMs,
  tenOClock,
} from './history.ts';
import { play } from './play.ts';
import { commandOf, configOf, nightlyIds, smokeIds, type World, worlds } from './worlds.ts';

/*
 * Random histories of two to eight commands about two runs of one campaign, with duplicates, outages, blackouts, a freeze, deaths, times of observing, deployments that
 * rename a target or a run or move ids between names, overrides, purges, a slow rate and people's repeats. `FAST_CHECK_RUNS=20000` before a release.
 */
const tries = propertyRuns(40);

const runNames = ['nightly', 'smoke'] as const;
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 });
const minutes = (most: number) => fc.integer({ min: 0, max: most });
const outage = (most: number) => maybe(fc.record({ from: minutes(120), lasts: fc.integer({ min: 1, max: most }) }));

const settings = fc.record({
  overlap: fc.constantFrom('skip' as const, 'allow' as const, 'stop-previous' as const),
  stopAfter: fc.constantFrom<string>('PT5M', 'PT10M', 'PT30M', 'PT2H'),
  /** This run plans no stop. */
  bounded: fc.constantFrom(...runNames, undefined),
  minimumGap: maybe(fc.constantFrom('PT10M', 'PT1H')),
  startsPerMonth: maybe(fc.integer({ min: 1, max: 3 })),
  blackout: maybe(
    fc.record({
      from: minutes(60),
      lasts: fc.integer({ min: 5, max: 90 }),
      starts: fc.constantFrom('skip' as const, 'defer' as const),
    }),
  ),
  /** Both names list the same ids. */
  isShared: fc.boolean(),
});

type Settings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;

/** What a deployment changes. */
type Change = 'target' | 'name' | 'ids' | 'none';

function configFor(world: World, set: Settings, change: Change = 'none'): RunsConfig {
  const { overlap, stopAfter, bounded, minimumGap, startsPerMonth, blackout, isShared } = set;
  const planned = (name: string) => (bounded === name ? { stopAfter: undefined } : {});
  const ids = { nightly: nightlyIds, smoke: isShared ? nightlyIds.toReversed() : smokeIds };
  const listed = change === 'ids' ? { nightly: ids.smoke, smoke: ids.nightly } : ids;
  const window = blackout && { from: atMinute(blackout.from), to: atMinute(blackout.from + blackout.lasts) };
  return configOf(world, {
    stopAfter,
    guards: {
      overlap,
      target: change === 'target' ? 'other' : 'chat-bot',
      startsPerMonth,
      ...(world.isReadable ? { minimumGap } : {}),
    },
    blackouts:
      window && blackout ? [{ name: 'office', starts: blackout.starts, window: { kind: 'once', ...window } }] : [],
    runs: {
      [change === 'name' ? 'renamed' : 'nightly']: { campaignRunIds: listed.nightly, ...planned('nightly') },
      smoke: { campaignRunIds: listed.smoke, ...planned('smoke') },
    },
  });
}

const command = fc.record({
  kind: fc.constantFrom(
    'start' as const,
    'start' as const,
    'start' as const,
    'start, overriding' as const,
    'stop' as const,
    'stop by name' as const,
  ),
  run: fc.constantFrom(...runNames),
  minute: minutes(90),
  lateMs: fc.oneof(
    fc.integer({ min: 0, max: 2000 }),
    fc.integer({ min: 0, max: 10 * minuteMs }),
    fc.integer({ min: 0, max: 60 * minuteMs }),
  ),
  // Clocks of two workers differ by a minute at most.
  skewMs: fc.constantFrom(0, 0, 30_000, -30_000),
  stopAfter: maybe(fc.constantFrom('PT6M', 'PT45M')),
  startDelay: maybe(fc.constant('PT10M')),
  validFor: maybe(fc.constantFrom('PT5M', 'PT20M', 'PT3H')),
  /** Which id a stop by uuid names, or a start beside its run. */
  place: fc.integer({ min: 0, max: 2 }),
  namesId: fc.constantFrom(false, false, false, true),
  copiesMs: fc.array(fc.oneof(fc.constantFrom(0, 10, 100), fc.integer({ min: 0, max: 120 * minuteMs })), {
    maxLength: 2,
  }),
});

type Made = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

function arrivalOf(
  { kind, run, minute, lateMs, skewMs, copiesMs, place, namesId, ...options }: Made,
  index: number,
): Arrival {
  const ids = run === 'nightly' ? nightlyIds : smokeIds;
  const isStart = kind.startsWith('start');
  const about = kind === 'stop' ? { campaignRunId: ids[place] } : { run };
  const more = isStart ? { ...options, ...(namesId ? { campaignRunId: ids[place] } : {}) } : {};
  const id = `${kind.replaceAll(/[ ,]+/g, '-')}-${index}`;
  const made: CampaignRunCommand = { ...commandOf(kind, minute), ...about, ...more, id };
  return { command: JSON.parse(JSON.stringify(made)), atMs: tenOClock + minute * minuteMs + lateMs, skewMs, copiesMs };
}

const fate = fc.constantFrom<Fate>(
  'ok',
  'ok',
  'ok',
  'ok',
  'applied, no answer',
  'not applied, no answer',
  'late, no answer',
  'applied, 500',
  'edge 403',
  'edge 409',
  'edge 530',
  'applied, edge 530',
  'not applied, 500',
  'not sent',
  'hangs',
  403,
  404,
  429,
  503,
  'names a field',
);

const history = fc.record({
  world: fc.constantFrom(...worlds),
  commands: fc.array(command, { minLength: 2, maxLength: 8 }),
  set: settings,
  deployed: maybe(
    fc.record({ atMinute: minutes(150), change: fc.constantFrom<Change>('target', 'name', 'ids', 'none') }),
  ),
  /** Of the PATCHes, in order; after them each is answered. */
  fates: fc.array(fate, { maxLength: 14 }),
  /** Points at which the attempt dies, counted over the history. */
  deaths: fc.array(minutes(60), { maxLength: 2 }),
  gateClosed: outage(20),
  watcherDown: outage(40),
  unreadable: outage(40),
  frozen: outage(60),
  observing: outage(60),
  purgedAtMinute: maybe(minutes(150)),
  repeatsAfterMinutes: maybe(fc.integer({ min: 1, max: 90 })),
  rate: maybe(fc.constant(0.4)),
});

type Drawn = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

function historyOf({ world, commands, set, deployed, fates: _fates, deaths: _deaths, ...rest }: Drawn): History {
  return {
    ...rest,
    kind: world.kind,
    arrivals: commands.map(arrivalOf),
    config: configFor(world, set),
    deployed: deployed && { atMinute: deployed.atMinute, config: configFor(world, set, deployed.change) },
  };
}

function chanceFor({ fates, deaths }: Drawn): Chance {
  const left = [...fates];
  let points = 0;
  return {
    fate: () => left.shift() ?? 'ok',
    death(): Death {
      points += 1;
      if (!deaths.includes(points)) return false;
      return points % 2 === 0 ? 'late' : 'dead';
    },
  };
}

describe('random histories of several runs keep their promises', () => {
  it('I1 to I11: whatever is late, twice, lost, refused or killed', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (drawn) => {
        const { faults, told } = await play(historyOf(drawn), chanceFor(drawn));

        expect(faults, told()).toEqual([]);
      }),
      { ...tries, interruptAfterTimeLimit: 3_500_000 },
    );
  });
});
