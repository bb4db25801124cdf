import type { Chance, Death, Fate, History } from './history.ts';
import { play } from './play.ts';

/** A history, with the words that its report needs. */
export interface NamedHistory {
  readonly about: unknown;
  readonly history: History;
  /** What may become of one of the first PATCHes beside `ok`. */
  readonly fates: readonly Fate[];
  readonly mostFaults: number;
  readonly mostDeaths: number;
}

/** How a search ended. */
export interface Searched {
  readonly histories: number;
  /** The first history of each kind of fault: what broke, how to play it again, and what happened. */
  readonly faults: readonly string[];
}

/** More kinds of fault than a person reads at once. */
const mostKinds = 8;

/** The PATCHes that may go wrong: no three commands need more before each has met the gateway. */
const patchesAtRisk = 4;

/** An attempt has at most ten points at which it can die. */
const pointsAtRisk = 24;

/** `EXPLORE=all` plays each history. */
const isWhole = process.env['EXPLORE'] === 'all';

/**
 * Plays every course of every n-th history.
 * @param every - a prime, so that no dimension is left out
 */
export async function search(named: Iterable<NamedHistory>, every: number): Promise<Searched> {
  const faults = new Map<string, string>();
  let index = 0;
  let histories = 0;
  for (const one of named) {
    index += 1;
    if (!isWhole && index % every !== 0) continue;
    histories += await playEach(async (choose) => {
      const path: number[] = [];
      const noted = (options: number) => {
        const choice = choose(options);
        path.push(choice);
        return choice;
      };
      const { faults: found, told } = await play(one.history, chanceOf(one, noted));
      for (const fault of found) {
        const kind = fault.replaceAll(/[0-9a-f]{8,}/g, 'ID').replaceAll(/\d+/g, 'N');
        if (faults.has(kind) || faults.size >= mostKinds) continue;
        faults.set(kind, [fault, JSON.stringify(one.about), `choices ${JSON.stringify(path)}`, told()].join('\n'));
      }
    });
  }
  return { histories, faults: [...faults.values()] };
}

/** A number from 0 to `options` - 1; 0 is the ordinary course. */
type Choose = (options: number) => number;

/** What chance decides, by choices. */
function chanceOf(of: Pick<NamedHistory, 'fates' | 'mostFaults' | 'mostDeaths'>, choose: Choose): Chance {
  let patches = 0;
  let faults = 0;
  let deaths = 0;
  let points = 0;
  return {
    fate() {
      patches += 1;
      if (patches > patchesAtRisk || faults >= of.mostFaults) return 'ok';
      const fate = of.fates[choose(of.fates.length + 1) - 1];
      if (fate !== undefined) faults += 1;
      return fate ?? 'ok';
    },
    death(where): Death {
      points += 1;
      if (points > pointsAtRisk || deaths >= of.mostDeaths) return false;
      const choice = choose(where === 'before a PATCH' ? 3 : 2);
      if (choice > 0) deaths += 1;
      return ([false, 'dead', 'late'] as const)[choice] ?? false;
    },
  };
}

/**
 * Plays every course that a history can take. The first takes 0 at each choice, and each next one
 * changes the last choice that has an option left. So a choice costs plays only if a history comes
 * to it.
 * @returns how many were played
 */
async function playEach(playOne: (choose: Choose) => Promise<void>): Promise<number> {
  let path: number[] = [];
  let plays = 0;
  for (;;) {
    const options: number[] = [];
    await playOne((count) => {
      const index = options.length;
      options.push(count);
      if (path[index] === undefined) path.push(0);
      return path[index] ?? 0;
    });
    plays += 1;
    const next = nextPath(path.slice(0, options.length), options);
    if (next === undefined) return plays;
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
