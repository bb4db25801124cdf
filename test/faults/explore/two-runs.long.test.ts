import { describe, expect, it } from 'vitest';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { CampaignShown } from './counting-gateway.ts';
import { type NamedScenario, report, search } from './search.ts';
import {
  arrivalsOf,
  commandOf,
  configOf,
  fates,
  type Kind,
  otherIds,
  permutations,
  scenarioOf,
  tenOClock,
  tuples,
} from './scenarios.ts';

/*
 * Every history of two commands about two runs of one campaign, and about one run with a pool of ids, one for each start. What is enumerated:
 *
 * - commands: each pair of start, stop by id and stop by name of either run, issued ten minutes apart; and a pair of starts with a stop between them;
 * - their order of arrival; gaps of 20 ms, 70 s, 7 minutes and 35 minutes (the planned stop of the first is due);
 * - overlap `skip`, `allow` and `stop-previous`; `stopAfter` of 30 minutes, or of 10: back to back;
 * - a campaign that names its count in `confirm`, one that counts runs at their ends, and one that shows nothing;
 * - one of the first four PATCHes goes wrong as in the search of one run; clocks 5 minutes apart; or one attempt dies.
 */

const minuteMs = 60_000;
const gaps = [20, 70_000, 7 * minuteMs, 35 * minuteMs];
const [firstId, secondId] = otherIds;
type Make = (minute: number) => CampaignRunCommand;

const about =
  (kind: Kind, more: Partial<CampaignRunCommand> = {}): Make =>
  (minute) =>
    commandOf(kind, minute, more);
const stopOf = (campaignRunId: string): Make => about('stop', { campaignRunId });

const ofTwoRuns: readonly Make[] = [
  about('start'),
  about('start', { run: 'smoke' }),
  about('stop'),
  stopOf(firstId),
  about('stop by name'),
  about('stop by name', { run: 'smoke' }),
];
const ofPool: readonly Make[] = [about('start'), stopOf(firstId), stopOf(secondId), about('stop by name')];

const readings: readonly CampaignShown['runCount'][] = ['counts starts', 'counts ends', 'absent'];
const overlaps = ['skip', 'allow', 'stop-previous'] as const;

interface Family {
  readonly of: 'two runs' | 'a pool';
  readonly fast?: readonly number[];
  readonly stopAfters?: readonly string[];
  readonly readings?: readonly CampaignShown['runCount'][];
}

const isStart = ({ action }: CampaignRunCommand) => action === 'start';

/** Pairs with a start; two starts also with a stop by name between them. */
function commandsOf(makes: readonly Make[]): CampaignRunCommand[][] {
  const pairs = tuples(makes, 2)
    .map((pair) => pair.map((make, place) => make(place * 10)))
    .filter((pair) => pair.some(isStart));
  const between = pairs.filter((pair) => pair.every(isStart)).map(([a, b]) => [a, commandOf('stop by name', 5), b]);
  return [...pairs, ...between.map((three) => three.filter((one) => one !== undefined))];
}

/** Each choice of one value for each name; the last name varies first. */
function choicesOf<Values extends Readonly<Record<string, readonly unknown[]>>>(
  values: Values,
): readonly { readonly [Name in keyof Values]: Values[Name][number] }[] {
  const choose = ([name, ...others]: readonly string[]): Record<string, unknown>[] => {
    if (name === undefined) return [{}];
    return (values[name] ?? []).flatMap((value) => choose(others).map((rest) => ({ [name]: value, ...rest })));
  };
  return choose(Object.keys(values)) as { readonly [Name in keyof Values]: Values[Name][number] }[];
}

function* family(of: Family, more: Partial<Parameters<typeof scenarioOf>[0]>): Generator<NamedScenario> {
  const { fast = [-1], stopAfters = ['PT10M', 'PT30M'] } = of;
  const isPool = of.of === 'a pool';
  const smoke = { pool: { kind: 'repeat', campaignRunId: firstId } } as const;
  const ids = isPool ? { ids: otherIds } : { more: { smoke } };
  for (const order of commandsOf(isPool ? ofPool : ofTwoRuns).flatMap((commands) => [...permutations(commands)])) {
    const named = order.map(({ id, run, campaignRunId }) => `${id} ${run ?? campaignRunId}`);
    const choices = { gapMs: gaps, overlap: overlaps, stopAfter: stopAfters, runCount: of.readings ?? readings, fast };
    for (const choice of choicesOf(choices)) {
      const { gapMs, overlap, stopAfter, runCount } = choice;
      const firstMs = tenOClock + 11 * minuteMs;
      const arrivals = arrivalsOf(order, { firstMs, gapsMs: [gapMs, gapMs], fast: choice.fast });
      const isCounted = runCount === 'counts starts';
      const config = configOf({ confirm: isCounted, overlap, stopAfter, ...ids });
      yield {
        about: { order: named, ...choice },
        scenario: scenarioOf({ arrivals, config, isCounted, campaign: { runCount }, ...more }),
      };
    }
  }
}

const noAnswers = { fates: fates.slice(0, 3) };
const deadly = { mostFaults: 0, mostDeaths: 1 };

const families: readonly (readonly [string, () => Generator<NamedScenario>])[] = [
  ['two runs, any answer', () => family({ of: 'two runs' }, {})],
  ['a pool, any answer', () => family({ of: 'a pool' }, {})],
  [
    'two runs, clocks apart',
    () => family({ of: 'two runs', fast: [0, 1], stopAfters: ['PT10M'], readings: ['counts starts'] }, noAnswers),
  ],
  [
    'a pool, clocks apart',
    () => family({ of: 'a pool', fast: [0, 1], stopAfters: ['PT10M'], readings: ['counts starts'] }, noAnswers),
  ],
  [
    'two runs, a worker that dies',
    () => family({ of: 'two runs', stopAfters: ['PT30M'], readings: ['counts starts'] }, deadly),
  ],
  [
    'a pool, a worker that dies',
    () => family({ of: 'a pool', stopAfters: ['PT10M'], readings: ['counts starts'] }, deadly),
  ],
];

describe('every history of two commands about two runs, or a pool of ids, keeps its promises', () => {
  it.each(families)('I2, I4, I5, I6, I7, I8, I9, I10: %s', { timeout: 3_600_000 }, async (name, scenarios) => {
    const { histories, faults } = await search(scenarios());

    report(name, histories);
    expect(faults).toEqual([]);
    expect(histories).toBeGreaterThan(50);
  });
});
