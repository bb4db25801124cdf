import type { LedgerItem } from '../../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../../shared/ledger/ledger.ts';
import { aCommand, createUpdateBench } from '../../unit/functions/update-campaign-runs/update-bench.ts';
import { outputOf, platformLogBytes } from './output-of.ts';

/** What one night takes, a start and its stop, counted at the ports of the product's own worker. */
export interface NightCounts {
  readonly reads: number;
  readonly readUnits: number;
  readonly writes: number;
  readonly writeUnits: number;
  readonly requests: number;
  readonly events: number;
  /** Log lines and metrics of both, and the lines that Lambda adds. */
  readonly logBytes: number;
}

const stopAt = '2026-11-20T22:00:01Z';

/** The start of the configured run, and its stop. */
export const nightCommands = [
  aCommand(),
  aCommand({ id: `by-morning@${stopAt}`, action: 'stop', issuedAt: stopAt }),
] as const;

/**
 * Starts the configured run and stops it.
 * @throws Error where one of the two was not applied
 */
export async function countNight(): Promise<NightCounts> {
  const bench = createUpdateBench();
  const counts = { reads: 0, readUnits: 0, writes: 0, writeUnits: 0 };
  const ledger: Ledger = {
    ...bench.ledger,
    async read<Item extends LedgerItem>(pk: Item['pk']) {
      const row = await bench.ledger.read<Item>(pk);
      counts.reads += 1;
      counts.readUnits += Math.max(1, Math.ceil(bytesOf(row) / 4096));
      return row;
    },
    async write<Item extends LedgerItem>(before: Stored<Item> | undefined, after: Item) {
      counts.writes += 1;
      counts.writeUnits += Math.ceil(bytesOf(after) / 1024);
      return bench.ledger.write<Item>(before, after);
    },
  };
  let events = 0;
  const bus = {
    async publish() {
      events += 1;
    },
  };
  for (const command of nightCommands) await bench.deliver(command, { ledger, bus });
  if (bench.transitions.length !== 2) throw new Error('the start or the stop that were to be counted were not applied');
  const { bytes } = await outputOf('night-process.ts');
  const logBytes = bytes + nightCommands.length * platformLogBytes;
  return { ...counts, requests: bench.patches.length, events, logBytes };
}

function bytesOf(item: object | undefined): number {
  return item === undefined ? 0 : Buffer.byteLength(JSON.stringify(item));
}
