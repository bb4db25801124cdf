import type { BenchRow, RowResult } from '../bench-row.ts';
import { uploadsBatchSize } from '../../../infra/config/concurrency.ts';
import { type BatchCounts, countBatch } from '../cost/count-batch.ts';
import { countNight } from '../cost/count-commands.ts';
import { countUpload, type UploadCounts } from '../cost/count-upload.ts';
import { beyondFree, idleMonth } from '../cost/idle-month.ts';
import { millionCommands } from '../cost/million-commands.ts';
import { millionUploads } from '../cost/million-uploads.ts';
import { secondsOfUpload } from '../cost/lambda-time.ts';
import { commandPeers, type Peer, uploadPeers } from '../cost/peers.ts';
import { pricesAsOf } from '../cost/prices.ts';
import { type Cost, costOf } from '../cost/usage.ts';

/** What the bar of performance.md names. */
const namedParts = 'queue, three writes, Lambda, logs';

/** A million applied uploads, and what they were counted from. */
export async function billOfUploads() {
  const [one, batch, seconds] = await Promise.all([countUpload(), countBatch(), secondsOfUpload()]);
  const { named, whole } = millionUploads(one, batch, seconds);
  return { one, batch, named: costOf(named), whole: costOf(whole) };
}

/** What a million applied uploads cost. */
export const costUploads: BenchRow = {
  id: 'cost-uploads',
  title: 'cost of a million uploads',
  peer: 'Pipes + API destination, without a ledger and without checks',
  isNoiseFree: true,
  async measure() {
    const { one, batch, named, whole } = await billOfUploads();
    return {
      figures: [
        { name: namedParts, value: named.usd, unit: '$', bar: 2.7, stretch: 2, detail: linesOf(named) },
        { name: 'whole bill', value: whole.usd, unit: '$', detail: linesOf(whole) },
      ],
      notes: [...uploadNotes(one, batch), ...peerNotes(uploadPeers), asOf],
    };
  },
};

/** What a million commands cost; performance.md has no bar for them. */
export const costCommands: BenchRow = {
  id: 'cost-commands',
  title: 'cost of a million commands',
  peer: 'Scheduler + bus + API destination, without guards and without a ledger',
  isNoiseFree: true,
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
  isNoiseFree: true,
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

function uploadNotes(one: UploadCounts, batch: BatchCounts): readonly string[] {
  const perUpload = Math.round(batch.logBytes / uploadsBatchSize);
  const rowUnits = one.writeUnits - one.indexWriteUnits;
  return [
    `${namedParts}: what the bar names. The writes are those of the upload's own rows (${one.writes.join(', ')}), ${rowUnits} units of a begun KB`,
    `whole bill: all of these, and what the bar does not name: ${one.indexWriteUnits} units that the writes change in indexes, ${one.readUnits} of a read, ${one.objectReads} read of the object; for each batch the gate and the list of recent outcomes (${batch.recentBytes} bytes), read and written`,
    `logs: ${perUpload} bytes an upload: a line of its own, and a tenth of the metrics and of what Lambda writes about a batch`,
    'Lambda: the time that a full batch waits for the ledger, the bucket and a gateway of 40 ms on the virtual clock; its own CPU is not in it, and a rate that makes it wait for its turn costs up to $0.27',
  ];
}

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
