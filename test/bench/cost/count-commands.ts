import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { Ledger, RowChange, Stored } from '#shared/ledger/ledger.ts';
import {
  campaignId,
  aCommand,
  createUpdateBench,
} from '../../unit/functions/update-campaign-runs/harness/update-bench.ts';
import { changesOfOpen } from '../drain/counting-ledger.ts';
import { outputOf, platformLogBytes } from './output-of.ts';
import { rowBytes } from './row-bytes.ts';

/** What one night takes, a start and its stop, counted at the ports of the product's own worker. */
export interface NightCounts {
  readonly reads: number;
  readonly readUnits: number;
  readonly writes: number;
  /** Of the table and of the index `open`. */
  readonly writeUnits: number;
  /** A GET of the campaign, the start and the stop. */
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
 * @throws Error if one of the two was not applied
 */
export async function countNight(): Promise<NightCounts> {
  const bench = createUpdateBench({ campaignId });
  const counts = { reads: 0, readUnits: 0, writes: 0, writeUnits: 0 };
  const countRead = (row: Stored | undefined) => {
    counts.reads += 1;
    counts.readUnits += row === undefined ? 1 : Math.ceil(rowBytes(row) / 4096);
  };
  /** @param price - 2 in a transaction */
  const countWrite = ({ before, after }: RowChange, price: 1 | 2) => {
    counts.writes += 1;
    counts.writeUnits += Math.ceil(rowBytes(after) / 1024) * (1 + changesOfOpen(before, after)) * price;
  };
  const ledger: Ledger = {
    ...bench.ledger,
    async read<Row extends LedgerRow>(pk: Row['pk']) {
      const row = await bench.ledger.read<Row>(pk);
      countRead(row);
      return row;
    },
    async readMany(pks) {
      const rows = await bench.ledger.readMany(pks);
      for (const pk of pks) countRead(rows.get(pk));
      return rows;
    },
    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      countWrite({ before, after }, 1);
      return bench.ledger.write<Row>(before, after);
    },
    async writeAll(changes) {
      for (const change of changes) countWrite(change, changes.length > 1 ? 2 : 1);
      return bench.ledger.writeAll(changes);
    },
  };
  let events = 0;
  const bus = {
    async publish() {
      events += 1;
    },
  };
  let looks = 0;
  const gateway: typeof bench.gateway = {
    ...bench.gateway,
    async getCampaign(input) {
      looks += 1;
      return bench.gateway.getCampaign(input);
    },
  };
  for (const command of nightCommands) await bench.deliver(command, { ledger, bus, gateway });
  if (bench.transitions.length !== 2) throw new Error('the start or the stop that were to be counted were not applied');
  const { bytes } = await outputOf('night-process.ts');
  const logBytes = bytes + nightCommands.length * platformLogBytes;
  return { ...counts, requests: looks + bench.patches.length, events, logBytes };
}
