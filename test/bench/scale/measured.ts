import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScaleFigures } from './scenario.ts';
import { type FiguresOfAll, scenarioNames } from './scenarios.ts';

/** What the scenarios came to when docs/reference/limits.md was written. */
export interface Measured {
  /** Day of the run. */
  readonly date: string;
  /** The whole scenarios, and the quick form of each. */
  readonly full: FiguresOfAll;
  readonly quick: FiguresOfAll;
}

/** Where it is kept. */
export const measuredPath = join(import.meta.dirname, 'measured.json');

/** Reads it. */
export function readMeasured(): Measured {
  return JSON.parse(readFileSync(measuredPath, 'utf8'));
}

/** Each figure that is another now: `day: calls was 1,000,000, is 1,000,001`. */
export function differences(before: FiguresOfAll, now: FiguresOfAll): readonly string[] {
  return scenarioNames.flatMap((name) => {
    const keys = Object.keys(now[name]) as readonly (keyof ScaleFigures)[];
    return keys
      .filter((key) => before[name][key] !== now[name][key])
      .map((key) => `${name}: ${key} was ${before[name][key]}, is ${now[name][key]}`);
  });
}
