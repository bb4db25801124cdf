/**
 * Histories at random: what fast-check plays, and shrinks to the shortest one that still breaks a
 * promise.
 */
import * as fc from 'fast-check';
import { gatewayFaultNames } from './world/gateway-faults.ts';
import type { Scenario } from './play.ts';
import { type CampaignSettings, gatewayNames } from './stage-config.ts';
import { junk, type Step, type UploadedFile } from './steps.ts';
import type { Port } from './world/world.ts';

const seconds = 1000;
const minutes = 60 * seconds;

const file: fc.Arbitrary<UploadedFile> = fc.record({
  rule: fc.constantFrom<UploadedFile['rule'][]>('checked', 'same', 'plain', 'plain', 'plain', 'folder', 'gone'),
  content: fc.constantFrom<UploadedFile['content'][]>(0, 0, 1, 2),
});

const upload: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('upload'),
  files: fc.array(file, { minLength: 1, maxLength: 3 }),
});

const junkMessage: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('junk'),
  queue: fc.constantFrom('uploads', 'commands'),
  kind: fc.constantFrom(...(Object.keys(junk) as (keyof typeof junk)[])),
});

const command: fc.Arbitrary<Step> = fc.record(
  {
    do: fc.constant('command'),
    action: fc.constantFrom('start', 'start', 'stop'),
    run: fc.constantFrom('smoke', 'smoke', 'nightly', 'nightly', 'solo', 'an id of smoke', 'a foreign id'),
    ageMs: fc.oneof(fc.constant(0), fc.integer({ min: -4 * minutes, max: 20 * minutes })),
    validFor: fc.constantFrom('PT2M', 'PT20M', 'P1D'),
    stopAfter: fc.constantFrom('PT6M', 'PT45M'),
    startDelay: fc.constant('PT10M'),
    overrides: fc.constantFrom(false, false, false, true),
  },
  { requiredKeys: ['do', 'action', 'run', 'ageMs', 'overrides'] },
);

const forged: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('forged'),
  of: fc.nat(59),
  as: fc.constantFrom('plannedStop', 'end'),
});

const pick = fc.nat(20);

const delivery: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('command again'), pick }),
  fc.record({ do: fc.constant('duplicate'), queue: fc.constantFrom('uploads', 'commands'), pick }),
);

const tick: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('tick'),
  ms: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 10, max: 2 * seconds }) },
    { weight: 3, arbitrary: fc.integer({ min: 2 * seconds, max: 2 * minutes }) },
    { weight: 2, arbitrary: fc.integer({ min: 2 * minutes, max: 30 * minutes }) },
    { weight: 1, arbitrary: fc.integer({ min: 30 * minutes, max: 5 * 60 * minutes }) },
  ),
});

const kill: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('kill'),
  of: fc.constantFrom('register-datasets', 'update-campaign-runs'),
  effects: fc.integer({ min: 1, max: 25 }),
  when: fc.constantFrom('before', 'after'),
});

const fault = fc.constantFrom(...gatewayFaultNames);
const portNames: readonly Port[] = [
  'ledger read',
  'ledger write',
  'ledger answer',
  'bus',
  'objects',
  'secret',
  'queue',
];

const trouble: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('gateway fails'),
      method: fc.constantFrom('PATCH', 'PATCH', 'POST', 'POST', 'GET'),
      fault,
      calls: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('outage'), fault, ms: fc.integer({ min: seconds, max: 120 * minutes }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('port fails'),
      port: fc.constantFrom(...portNames),
      after: fc.nat(12),
      calls: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('rotate token'),
      secretAfterMs: fc.constantFrom(0, 0, 3 * seconds, 10 * minutes),
    }),
  },
);

const decision: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('decide'),
  pick,
  decision: fc.constantFrom('look at the gateway', 'look at the gateway', 'repeat', 'dismiss'),
});

const freeze: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('freeze'),
  ms: fc.integer({ min: minutes, max: 60 * minutes }),
});
const deploy: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('deploy'),
  change: fc.constantFrom('nothing', 'its target', 'a name', 'ids'),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: upload },
  { weight: 1, arbitrary: junkMessage },
  { weight: 6, arbitrary: command },
  { weight: 1, arbitrary: forged },
  { weight: 3, arbitrary: delivery },
  { weight: 8, arbitrary: tick },
  { weight: 4, arbitrary: kill },
  { weight: 6, arbitrary: trouble },
  { weight: 2, arbitrary: decision },
  { weight: 1, arbitrary: freeze },
  { weight: 1, arbitrary: deploy },
);

const startMs = Date.parse('2026-11-20T21:00:00Z');
const at = (minute: number) => new Date(startMs + minute * minutes).toISOString();
const blackout = fc
  .record({
    from: fc.nat(120),
    lasts: fc.integer({ min: 5, max: 90 }),
    starts: fc.constantFrom('skip', 'defer'),
  })
  .map(({ from, lasts, starts }) => {
    return { name: 'office', starts, window: { kind: 'once', from: at(from), to: at(from + lasts) } } as const;
  });

/** Mostly without the guard. */
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });

const campaign: fc.Arbitrary<CampaignSettings> = fc.record({
  overlap: fc.constantFrom('skip', 'skip', 'allow', 'stop-previous'),
  stopAfter: fc.constantFrom('PT30M', 'PT5M', 'PT2H', null),
  minimumGap: maybe(fc.constantFrom('PT10M', 'PT1H')),
  startsPerMonth: maybe(fc.integer({ min: 1, max: 3 })),
  blackouts: fc.array(blackout, { maxLength: 1 }),
});

/** Between two reads of rows, while a PATCH is in the air, or while its answer is awaited. */
const shortTick: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('tick'),
  ms: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 10, max: 90 * seconds })),
});

/**
 * Two commands about one run name, close to each other, and something that goes wrong with the first:
 * where the order of effects is at stake.
 */
const rivalry: fc.Arbitrary<Step[]> = fc
  .record({
    run: fc.constantFrom('smoke', 'nightly', 'solo', 'an id of smoke', 'a foreign id'),
    first: fc.constantFrom('start', 'stop'),
    second: fc.constantFrom('start', 'stop', 'stop'),
    mishap: fc.oneof(
      fc.record({ do: fc.constant('gateway fails'), method: fc.constant('PATCH'), fault, calls: fc.constant(1) }),
      kill,
    ),
    between: shortTick,
    isSwapped: fc.boolean(),
  })
  .map(({ run, first, second, mishap, between, isSwapped }): Step[] => {
    const about = (action: 'start' | 'stop', ageMs: number): Step => ({ do: 'command', action, run, ageMs });
    return [mishap, about(first, isSwapped ? 0 : seconds), between, about(second, isSwapped ? seconds : 0)];
  });

/**
 * An upload whose worker dies somewhere on the way, and whose message then comes again, before and
 * after the lease has ended.
 */
const shipwreck: fc.Arbitrary<Step[]> = fc
  .record({
    upload,
    effects: fc.integer({ min: 4, max: 14 }),
    when: fc.constantFrom('before', 'after'),
    first: shortTick,
    second: fc.record({ do: fc.constant('tick'), ms: fc.integer({ min: 1 * minutes, max: 14 * minutes }) }),
    pick,
  })
  .map(({ upload: lost, effects, when, first, second, pick: message }): Step[] => {
    const again: Step = { do: 'duplicate', queue: 'uploads', pick: message };
    return [{ do: 'kill', of: 'register-datasets', effects, when }, lost, first, again, second];
  });

/** A history of up to 60 steps. */
export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.integer(),
  gateway: fc.constantFrom(...gatewayNames),
  campaign,
  maxReceiveCount: fc.constantFrom(1000, 1000, 1000, 4),
  steps: stepsOf(
    fc.oneof(
      { weight: 12, arbitrary: step.map((one) => [one]) },
      { weight: 2, arbitrary: rivalry },
      { weight: 1, arbitrary: shipwreck },
    ),
  ),
});

/** The same without anything that breaks: what is good then ends well, whatever is beside it. */
export const calmScenarios: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.integer(),
  gateway: fc.constantFrom(...gatewayNames),
  maxReceiveCount: fc.constant(1000),
  steps: stepsOf(fc.oneof(upload, junkMessage, delivery, tick).map((one) => [one])),
});

function stepsOf(scene: fc.Arbitrary<Step[]>): fc.Arbitrary<Step[]> {
  return fc.array(scene, { minLength: 1, maxLength: 60, size: 'max' }).map((scenes) => scenes.flat().slice(0, 60));
}
