import { drain } from '../drain/drain.ts';
import { deployProduct } from '../drain/drain-product.ts';
import { figuresOf, type ScaleFigures, type ScaleOptions } from './scenario.ts';
import { exampleRates, ratesForSchedules, schedulesAtOneMinute } from './schedules.ts';
import { datasetsPerSecond, dayOfUploads, sixHoursDown } from './uploads.ts';

/** Something that a stage may have to stand. */
export interface Scenario {
  readonly title: string;
  readonly play: (options: ScaleOptions) => Promise<ScaleFigures>;
}

/** The names of the scenarios. */
export type ScenarioName = 'day' | 'down' | 'backlog' | 'schedules' | 'schedulesAsShipped';

/** The rate at which the backlog is drained. */
export const backlogPerSecond = 500;
const backlogMessages = 10_000;

/** What docs/reference/limits.md is made of. */
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  day: { title: `a million uploads in a day, at most ${datasetsPerSecond} requests/s`, play: dayOfUploads },
  down: {
    title: 'seven hours at the same daily rate, spread evenly. The gateway is down for the last six',
    play: sixHoursDown,
  },
  backlog: {
    title: `10,000 uploads at once, at most ${backlogPerSecond} requests/s`,
    play: async ({ seed }) => backlog(seed),
  },
  schedules: {
    title: `10,000 schedules in one minute, at ${ratesForSchedules.runs} changes and ${ratesForSchedules.reads} reads/s`,
    play: async (options) => schedulesAtOneMinute(ratesForSchedules, options),
  },
  schedulesAsShipped: {
    title: `the same, at the ${exampleRates.runs} changes and ${exampleRates.reads} reads/s of the example`,
    play: async (options) => schedulesAtOneMinute(exampleRates, options),
  },
};

/** Every name, in the order of the document. */
export const scenarioNames = Object.keys(scenarios) as readonly ScenarioName[];

/** The quick form: a hundredth of the time at the same rates. */
export const quickPart = 0.01;

/** One seed for all: the same code gives the same figures, to the digit. */
const seed = 1;

/** What the scenarios came to, by name. */
export type FiguresOfAll = Readonly<Record<ScenarioName, ScaleFigures>>;

/** Plays every scenario, or those that are named. */
export async function playAll(
  part: number,
  options: {
    readonly names?: readonly ScenarioName[];
    readonly tell?: (name: ScenarioName, figures: ScaleFigures) => void;
  } = {},
): Promise<FiguresOfAll> {
  const played: Partial<Record<ScenarioName, ScaleFigures>> = {};
  for (const name of options.names ?? scenarioNames) {
    const figures = await scenarios[name].play({ part, seed });
    played[name] = figures;
    options.tell?.(name, figures);
  }
  return played as FiguresOfAll;
}

/**
 * No scenario checks what is in the files: a stream takes turns of the event loop that no seed
 * decides.
 */
async function backlog(seedOfBacklog: number): Promise<ScaleFigures> {
  const requestsPerSecond = backlogPerSecond;
  const options = { messages: backlogMessages, requestsPerSecond, seed: seedOfBacklog };
  const drained = await drain(options, (world) => deployProduct(world, { requestsPerSecond, check: 'none' }));
  const { world, gateway, usage, drainMs, done } = drained;
  return figuresOf({
    world,
    gateway,
    changed: done,
    usage,
    messages: backlogMessages,
    drainMs,
    mostWaiting: backlogMessages,
    queue: 'uploads',
  });
}
