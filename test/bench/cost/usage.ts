import { type PriceName, prices } from './prices.ts';

/** How much of each priced thing some work takes. */
export type Usage = Partial<Record<PriceName, number>>;

/** What one priced thing comes to. */
interface CostLine {
  readonly name: PriceName;
  readonly units: number;
  readonly usd: number;
}

/** The parts of a bill, dearest first, and their sum in US dollars. */
export interface Cost {
  readonly usd: number;
  readonly lines: readonly CostLine[];
}

/** Prices what was used. */
export function costOf(usage: Usage): Cost {
  const names = Object.keys(usage).filter((name): name is PriceName => name in prices);
  const lines = names
    .map((name) => ({ name, units: usage[name] ?? 0, usd: (usage[name] ?? 0) * prices[name].usd }))
    .toSorted((one, other) => other.usd - one.usd);
  return { usd: lines.reduce((sum, line) => sum + line.usd, 0), lines };
}
