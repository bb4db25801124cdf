import type { BenchRow } from '../bench-row.ts';
import { uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import { loadAutomation } from '#infra/config/load-automation.ts';
import { rowLifeDays } from '#shared/ledger/rows/row-keys.ts';
import { configurations } from '../../infra/template.ts';
import { countBatch } from '../cost/count-batch.ts';
import { countUpload } from '../cost/count-upload.ts';
import { alwaysFree, beyondFree, idleMonth, leftOfFree } from '../cost/idle-month.ts';
import { keepingMillion, millionUploads, monthsKept, secondsOfUpload } from '../cost/million-uploads.ts';
import { type Cost, costOf, prices, pricesAsOf } from '../cost/prices.ts';

/** What the bar of performance.md names. */
const namedParts = 'queue, three writes, Lambda, logs';

/** What the bar takes for granted: batches are full, and no upload waits for its turn. */
const atBest = 'at best';

/** Rates at which the bill is shown beside that of the stage `prod` as it ships. */
const rates = [100, 25] as const;

/** A million applied uploads, and what they were counted from. */
export async function billOfUploads() {
  const one = await countUpload();
  const batch = await countBatch();
  const { named, whole } = millionUploads(one, batch, await secondsOfUpload());
  const { automation } = await loadAutomation(configurations.example);
  const atRates = [];
  // One after the other: each takes this process's timers for its virtual clock.
  for (const rate of new Set([...rates, automation.gateway.requestsPerSecond.datasets])) {
    const seconds = await secondsOfUpload(rate);
    const paced = millionUploads(one, batch, seconds);
    atRates.push({ rate, seconds, named: costOf(paced.named), whole: costOf(paced.whole) });
  }
  const keeping = costOf(keepingMillion(one));
  return { one, batch, named: costOf(named), whole: costOf(whole), atRates, keeping };
}

/** What a million applied uploads cost. */
export const costUploads: BenchRow = {
  id: 'cost-uploads',
  title: 'cost of a million uploads',
  peer: 'Pipes + API destination, without a ledger and without checks',
  isNoiseFree: true,
  async measure() {
    const bill = await billOfUploads();
    const { named, whole, keeping } = bill;
    return {
      figures: [
        {
          name: `${namedParts}, ${atBest}`,
          value: named.usd,
          unit: '$',
          bar: 2.7,
          stretch: 2.45,
          detail: linesOf(named),
        },
        { name: `whole bill, ${atBest}`, value: whole.usd, unit: '$', detail: linesOf(whole) },
        ...bill.atRates.map(({ rate, seconds, ...paced }) => ({
          name: `whole bill, uploads wait for their turn at ${rate}/s`,
          value: paced.whole.usd,
          unit: '$',
          detail: `${(seconds * 1000).toFixed(0)} ms of Lambda an upload; what the bar names is $${paced.named.usd.toFixed(2)}`,
        })),
        {
          name: `keeping its rows for ${monthsKept.toFixed(0)} months`,
          value: keeping.usd,
          unit: '$',
          detail: linesOf(keeping),
        },
      ],
      notes: [...peerNotes, asOf],
      asides: uploadNotes(bill),
    };
  },
};

/** What the ledger takes for each upload. */
export const ledgerWrites: BenchRow = {
  id: 'ledger-writes',
  title: 'ledger writes per applied upload',
  peer: 'claim, SENDING, applied',
  isNoiseFree: true,
  async measure() {
    const { writes, writeUnits, reads } = await countUpload();
    return {
      figures: [{ name: '', value: writes.length, unit: 'writes', bar: 3, stretch: 3, detail: writes.join(', ') }],
      notes: [`${writeUnits} write units, ${reads} reads`],
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
    const second = costOf(beyondFree(usage, leftOfFree(usage)));
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
        { name: 'a second stage of the same account', value: second.usd, unit: '$', detail: linesOf(second) },
        { name: 'at list prices', value: list.usd, unit: '$', detail: linesOf(list) },
      ],
      notes: ['AWS gives what is always free once to an account: the second stage has what the first leaves'],
      asides: [asOf],
    };
  },
};

function uploadNotes({ one, batch, keeping }: Awaited<ReturnType<typeof billOfUploads>>): readonly string[] {
  const perUpload = Math.round(batch.logBytes / uploadsBatchSize);
  const rowUnits = one.writeUnits - one.indexWriteUnits;
  const { table, indexes } = one.kept;
  const freeMillions = (alwaysFree.ledgerGbMonth ?? 0) / ((table + indexes) / 1000);
  const recovery = keeping.lines.find(({ name }) => name === 'recoveryGbMonth')?.usd ?? 0;
  return [
    `${namedParts}: what the bar names. The writes are those of the upload's own rows (${one.writes.join(', ')}), ${rowUnits} units of a begun KB`,
    `whole bill: all of these, and what the bar does not name: ${one.indexWriteUnits} units that the writes change in indexes, ${one.readUnits} of a read, ${one.objectReads} read of the object; for each batch the gate and the list of recent outcomes (${batch.recentBytes} bytes), read and written. It is the handling; keeping the rows comes on top`,
    `logs: ${perUpload} bytes an upload: a line of its own, and a tenth of the metrics and of what Lambda writes about a batch`,
    'Lambda: the time that an upload of a full batch waits for the ledger, the bucket and a gateway of 40 ms on the virtual clock; its own CPU is not in it. The figure with the bar is the best case: there is always a full batch, and nothing waits for its turn',
    'while uploads wait for their turn: a backlog, and the function deployed for the rate and keeping to it. It waits in Lambda, so a slower rate costs more; the last of the rates is the one of the stage prod in automation.config.ts',
    `keeping its rows: ${table} bytes an upload in the table and ${indexes} in its indexes, for ${rowLifeDays.upload} days; $${prices.ledgerGbMonth.usd.toFixed(2)} for a GB-month of both, $${prices.recoveryGbMonth.usd.toFixed(2)} for point-in-time recovery of the table. An account has ${alwaysFree.ledgerGbMonth} GB free in a Region, the rows of ${Math.floor(freeMillions)} million uploads: up to there only the recovery is paid, $${recovery.toFixed(2)}. Objects in the bucket and logs that are kept are not in it`,
  ];
}

const million = 1_000_000;

/** Another way to send a million uploads to the gateway: the pipe takes ten at a time, or one. */
const peerNotes = [1.2, 3].map((requests) => {
  const usage = { sqsRequest: requests * million, pipeRequest: million, apiDestination: million };
  const batches = requests < 2 ? 'batches of 10' : 'one by one';
  return `Pipes + API destination, ${batches}: $${costOf(usage).usd.toFixed(2)} (no ledger, file check or stop)`;
});

const asOf = `prices of ${pricesAsOf}, US East (test/bench/cost/prices.ts)`;

function linesOf({ lines }: Cost): string {
  const shown = lines.filter(({ usd }) => usd >= 0.005);
  return shown.map(({ name, usd }) => `${name} ${usd.toFixed(2)}`).join(', ');
}
