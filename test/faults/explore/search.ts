import { playHistory, type Scenario } from './play.ts';

/** How a search ended. */
export interface Searched {
  readonly scenarios: number;
  readonly histories: number;
  /**
   * The first history of each kind of fault: what broke, how to play it again, and what happened.
   */
  readonly faults: readonly string[];
}

/** A scenario, with the words that its report needs. */
export interface NamedScenario {
  readonly about: unknown;
  readonly scenario: Scenario;
}

/** More kinds of fault than a person reads at once. */
const mostFaults = 8;

/**
 * Every how many scenarios `npm test` plays; `EXPLORE=all` plays each of them. A prime, so that no
 * dimension is left out.
 */
const stride = process.env['EXPLORE'] === 'all' ? 1 : 41;

/** Says how many histories a search of all of them played. */
export function report(name: string, histories: number): void {
  if (stride === 1)
    process.stdout.write(`${name}: ${histories} histories
`);
}

/** Plays every history of every n-th scenario. */
export async function search(scenarios: Iterable<NamedScenario>, every: number = stride): Promise<Searched> {
  const faults = new Map<string, string>();
  let index = 0;
  let played = 0;
  let histories = 0;
  for (const { about, scenario } of scenarios) {
    index += 1;
    if (index % every !== 0) continue;
    played += 1;
    histories += await playEach(async (choices) => {
      const { faults: found, choices: path, told } = await playHistory(scenario, choices);
      for (const fault of found) {
        const kind = kindOf(fault);
        if (faults.has(kind) || faults.size >= mostFaults) continue;
        faults.set(kind, [fault, JSON.stringify(about), `choices ${JSON.stringify(path)}`, told()].join('\n'));
      }
    });
  }
  return { scenarios: played, histories, faults: [...faults.values()] };
}

/** The sentence without its ids and figures. */
function kindOf(fault: string): string {
  return fault.replaceAll(/stop-[a-z]+:\S+/g, 'PLANNED').replaceAll(/\d+/g, 'N');
}

/** What chance, the network or the platform decides in a history: 0 is the ordinary course. */
export interface Choices {
  /** A number from 0 to `options` - 1. */
  readonly choose: (options: number) => number;
}

/**
 * Plays every history that a play can have. The first takes 0 at each choice, and each next one
 * changes the last choice that has an option left. So a choice costs histories only if a history
 * comes to it.
 * @returns how many histories were played
 */
export async function playEach(play: (choices: Choices) => Promise<void>): Promise<number> {
  let path: number[] = [];
  let histories = 0;
  for (;;) {
    const options: number[] = [];
    await play({
      choose(count) {
        const index = options.length;
        options.push(count);
        if (path[index] === undefined) path.push(0);
        return path[index] ?? 0;
      },
    });
    histories += 1;
    const next = nextPath(path.slice(0, options.length), options);
    if (next === undefined) return histories;
    path = next;
  }
}

function nextPath(path: readonly number[], options: readonly number[]): number[] | undefined {
  for (let index = path.length - 1; index >= 0; index -= 1) {
    const choice = (path[index] ?? 0) + 1;
    if (choice < (options[index] ?? 0)) return [...path.slice(0, index), choice];
  }
  return undefined;
}

/** The choices of one history as they were made: how a fault that was found is played again. */
export function chosen(path: readonly number[]): Choices {
  let index = 0;
  return {
    choose() {
      index += 1;
      return path[index - 1] ?? 0;
    },
  };
}
