import type { BenchRow, RowResult } from '../bench-row.ts';
import { countBatch } from '../cost/count-batch.ts';
import { countNight } from '../cost/count-commands.ts';
import { countUpload } from '../cost/count-upload.ts';
import { beyondFree, idleMonth } from '../cost/idle-month.ts';
import { millionCommands } from '../cost/million-commands.ts';
import { millionUploads } from '../cost/million-uploads.ts';
import { commandPeers, type Peer, uploadPeers } from '../cost/peers.ts';
import { pricesAsOf } from '../cost/prices.ts';
import { type Cost, costOf } from '../cost/usage.ts';

/** A bill is arithmetic with counts that have rows of their own, and with prices that somebody else changes: CI gates the counts. */
const isGatedEverywhere = false;

/** What a million applied uploads cost. */
export const costUploads: BenchRow = {
  id: 'cost-uploads',
  title: 'cost of a million uploads, ledger included',
  peer: 'Pipes + API destination, without a ledger and without checks',
  isNoiseFree: isGatedEverywhere,
  async measure() {
    const [one, batch] = await Promise.all([countUpload(), countBatch()]);
    const cost = costOf(millionUploads(one, batch));
    return {
      figures: [{ name: '', value: cost.usd, unit: '$', bar: 2.7, stretch: 2, detail: linesOf(cost) }],
      notes: [`writes of one upload: ${one.writes.join(', ')}`, ...peerNotes(uploadPeers), asOf],
    };
  },
};

/** What a million commands cost; performance.md has no bar for them. */
export const costCommands: BenchRow = {
  id: 'cost-commands',
  title: 'cost of a million commands',
  peer: 'Scheduler + bus + API destination, without guards and without a ledger',
  isNoiseFree: isGatedEverywhere,
  async measure(): Promise<RowResult> {
    const [night, batch] = await Promise.all([countNight(), countBatch()]);
    const cost = costOf(millionCommands(night, batch));
    return {
      figures: [{ name: 'half starts, half stops', value: cost.usd, unit: '$', detail: linesOf(cost) }],
      notes: [`a start and its stop: ${night.writes} writes, ${night.reads} reads`, ...peerNotes(commandPeers), asOf],
    };
  },
};

/** What a month costs in which nothing happens. */
export const costIdle: BenchRow = {
  id: 'cost-idle',
  title: 'cost of a month in which nothing happens',
  peer: 'nothing deployed',
  isNoiseFree: isGatedEverywhere,
  async measure() {
    const usage = await idleMonth();
    const beyond = costOf(beyondFree(usage));
    const list = costOf(usage);
    return {
      figures: [
        {
          name: 'beyond what is always free',
          value: beyond.usd,
          unit: '$',
          bar: 5,
          stretch: 3,
          detail: linesOf(beyond),
        },
        { name: 'at list prices', value: list.usd, unit: '$', detail: linesOf(list) },
      ],
      notes: [asOf],
    };
  },
};

const asOf = `prices of ${pricesAsOf}, US East, test/bench/cost/prices.ts`;

function linesOf({ lines }: Cost): string {
  const shown = lines.filter(({ usd }) => usd >= 0.005);
  return shown.map(({ name, usd }) => `${name} ${usd.toFixed(2)}`).join(', ');
}

function peerNotes(peers: readonly Peer[]): readonly string[] {
  return peers.map(
    ({ name, usage, assumes, lacks }) => `${name}: $${costOf(usage).usd.toFixed(2)} (${assumes}; ${lacks})`,
  );
}
