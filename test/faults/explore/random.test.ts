import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunsConfig } from '#functions/_runs/decide/state.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { PatchFate } from './counting-gateway.ts';
import { playRandom, type RandomHistory } from './random-history.ts';
import { commandOf, configOf, otherIds, runId, tenOClock } from './scenarios.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

/*
 * Random histories of two to eight commands about three runs of one campaign (two ids that start again and again, and a pool), with duplicates, outages,
 * blackouts, deaths, deployments, overrides, updates, purges and people's repeats. `FAST_CHECK_RUNS=20000` before a release.
 */
const tries = propertyRuns(200);

const minuteMs = 60_000;
const smokeId = otherIds[0];
const poolIds = [1, 2, 3, 4].map((last) => `018f0000-0000-7000-8000-00000000000${last}`);
const runNames = ['nightly', 'smoke', 'pooled'] as const;

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 });
const minutes = (most: number) => fc.integer({ min: 0, max: most });
const outage = (most: number) => maybe(fc.record({ from: minutes(120), lasts: fc.integer({ min: 1, max: most }) }));

const settings = fc.record({
  confirm: fc.boolean(),
  overlap: fc.constantFrom('skip' as const, 'allow' as const, 'stop-previous' as const),
  stopAfter: fc.constantFrom<string>('PT5M', 'PT10M', 'PT30M', 'PT2H'),
  bounded: fc.constantFrom(...runNames, undefined),
  blackout: maybe(
    fc.record({
      from: minutes(60),
      lasts: fc.integer({ min: 5, max: 90 }),
      starts: fc.constantFrom('skip' as const, 'defer' as const),
    }),
  ),
  startsRepeatSafely: fc.boolean(),
});

type Settings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;

/** What a deployment changes, and which field of the campaign is the sign of a start. */
interface Deployed {
  readonly without?: string;
  readonly target?: string;
  readonly by?: 'runCount' | 'lastRunAt';
}

/** One run, the bounded, plans no stop and ends by `longestRun`. */
function configFor(
  { bounded, blackout, startsRepeatSafely, ...rest }: Settings,
  { without, target = 'chat-bot', by = 'runCount' }: Deployed = {},
): RunsConfig {
  const guards = { target, overlap: rest.overlap, longestRun: 'PT1H' };
  const unstopped = (name: string) => (bounded === name ? { stopAfter: undefined, guards } : {});
  const config = configOf({
    ...rest,
    more: {
      nightly: unstopped('nightly'),
      smoke: { pool: { kind: 'repeat', campaignRunId: smokeId }, ...unstopped('smoke') },
      pooled: { pool: { kind: 'list', campaignRunIds: poolIds }, ...unstopped('pooled') },
    },
  });
  const blackouts =
    blackout === undefined
      ? []
      : [
          {
            name: 'freeze',
            window: {
              kind: 'once' as const,
              from: instant(blackout.from),
              to: instant(blackout.from + blackout.lasts),
            },
            starts: blackout.starts,
          },
        ];
  const runs = Object.fromEntries(
    Object.entries(config.runs)
      .filter(([name]) => name !== without)
      .map(([name, run]) => [
        name,
        { ...run, confirm: run.confirm && { ...run.confirm, by }, guards: { ...run.guards, target } },
      ]),
  );
  return {
    ...config,
    runs,
    blackouts,
    gateway: { ...config.gateway, startsRepeatSafely },
  };
}

const command = fc.record({
  kind: fc.constantFrom(
    'start' as const,
    'start' as const,
    'start, overriding' as const,
    'stop' as const,
    'stop by name' as const,
    'update' as const,
  ),
  run: fc.constantFrom(...runNames),
  minute: minutes(90),
  lateMs: fc.oneof(
    fc.integer({ min: 0, max: 2000 }),
    fc.integer({ min: 0, max: 10 * minuteMs }),
    fc.integer({ min: 0, max: 60 * minuteMs }),
  ),
  // Clocks of two workers differ by five minutes at most.
  skewMs: fc.constantFrom(0, 0, 180_000, -120_000),
  stopAfter: maybe(fc.constantFrom('PT6M', 'PT45M')),
  startDelay: maybe(fc.constant('PT10M')),
  validFor: maybe(fc.constantFrom('PT5M', 'PT20M', 'PT3H')),
  copies: fc.array(fc.oneof(fc.constantFrom(0, 1 / 4000, 1 / 600), minutes(120)), { maxLength: 2 }),
});

const instant = (minute: number) => new Date(tenOClock + minute * minuteMs).toISOString();

type Made = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

function arrivalOf(
  { kind, run, minute, lateMs, skewMs, copies, ...more }: Made,
  place: number,
): RandomHistory['arrivals'][number] {
  const idOf = { nightly: runId, smoke: smokeId, pooled: poolIds[0] };
  const isStop = kind === 'stop';
  const base = commandOf(
    kind === 'update' ? 'stop by name' : kind,
    minute,
    isStop ? { campaignRunId: idOf[run] } : { run },
  );
  const id = `${kind.replaceAll(/[ ,]+/g, '-')}-${place}`;
  const about: CampaignRunCommand = kind.startsWith('start') ? { ...base, ...more, id } : { ...base, id };
  const asUpdate: CampaignRunCommand = kind === 'update' ? { ...about, action: 'update', name: 'renamed' } : about;
  return {
    command: JSON.parse(JSON.stringify(asUpdate)),
    atMs: tenOClock + minute * minuteMs + lateMs,
    skewMs,
    copies,
  };
}

const fate = fc.constantFrom<PatchFate>(
  'ok',
  'ok',
  'ok',
  'ok',
  'applied, no answer',
  'not applied, no answer',
  'applied late, no answer',
  'not sent',
  'hangs',
  403,
  422,
  429,
  500,
);

const history = fc
  .record({
    commands: fc.array(command, { minLength: 2, maxLength: 8 }),
    settings,
    deployed: maybe(
      fc.record({
        atMinute: minutes(150),
        stopAfter: fc.constantFrom('PT5M', 'PT1H'),
        without: fc.constantFrom(...runNames, undefined),
        target: fc.constantFrom('chat-bot', 'other'),
      }),
    ),
    campaign: fc.constantFrom(
      'counts starts' as const,
      'counts starts' as const,
      'counts ends' as const,
      'absent' as const,
    ),
    lastRunAtMs: maybe(fc.constantFrom(1, 1000, minuteMs)),
    fates: fc.array(fate, { maxLength: 14 }),
    deaths: fc.array(minutes(60), { maxLength: 3 }),
    gateClosed: outage(20),
    watcherDown: outage(40),
    unreadable: outage(40),
    purgedAtMinute: maybe(minutes(150)),
    repeatsAfterMinutes: maybe(minutes(90)),
  })
  .map(({ commands, settings: set, deployed, ...rest }): RandomHistory => {
    // A field that a gateway counts at the end of a run is never named as the sign of a start.
    const by = rest.lastRunAtMs === undefined ? 'runCount' : 'lastRunAt';
    const confirm = set.confirm && (by === 'lastRunAt' || rest.campaign === 'counts starts');
    return {
      ...rest,
      arrivals: commands.map(arrivalOf),
      config: configFor({ ...set, confirm }, { by }),
      deployed: deployed && {
        atMinute: deployed.atMinute,
        config: configFor({ ...set, confirm, stopAfter: deployed.stopAfter }, { ...deployed, by }),
      },
    };
  });

describe('random histories of several runs keep their promises', () => {
  it('I1, I2, I4 to I10: whatever is late, twice, lost, refused or killed', { timeout: 1_800_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (one) => {
        const { faults, told } = await playRandom(one);

        expect(faults, told()).toEqual([]);
      }),
      { ...tries, interruptAfterTimeLimit: 1_700_000 },
    );
  });
});
