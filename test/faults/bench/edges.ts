/** A stage behind something that answers in the place of its gateway, and what holds whatever it answers. */
import { expect } from 'vitest';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { answerWell, type Doing } from './doings.ts';
import { stageGate } from './gates.ts';
import { type RawGatewayOptions, startRawGateway } from './raw-gateway.ts';
import { putMany, runsTo, start, uploadsTo, workOff } from './workers.ts';

const minute = 60_000;
const hour = 60 * minute;

/** What an edge does, by its name. */
export type EdgeCase = readonly [name: string, doing: Doing];

/** The upload worker and its gate. */
export async function uploadStage(listening: RawGatewayOptions = {}) {
  const gateway = await startRawGateway(listening);
  const uploads = uploadsTo(gateway, { now: () => uploads.state.nowMs });
  const gate = stageGate({ gateway, ledger: uploads.ledger, now: () => new Date(uploads.state.nowMs) });
  uploads.deps.gate = gate.environment();
  let draws = 0;
  uploads.deps.random = () => ((draws += 1) * 0.618) % 1;
  /** `APPLIED`, or the reason why it is parked. */
  const ends = () =>
    uploads.ledger
      .all()
      .flatMap((row) => (row.kind === 'upload' ? [row.outcome?.reason ?? row.state] : []))
      .toSorted();
  return { gateway, uploads, gate, ends };
}

/**
 * Twelve uploads meet the edge for two hours, then the gateway for as long as it takes.
 * @returns how they ended, how many datasets there are, and how often the gate closed
 */
export async function twelveUploads(doing: Doing) {
  const { gateway, uploads, gate, ends } = await uploadStage();
  const bodies = putMany(uploads, 12);
  gateway.always(doing);
  await workOff(uploads, bodies, 2 * hour);
  gateway.always(answerWell);
  const { open } = await workOff(uploads, bodies, 20 * hour);
  expect(open).toBe(0);
  expect((await gate.row())?.closed).toBeUndefined();
  return { ends: ends(), datasets: gateway.datasets.size, closed: gate.counted.get(metricNames.gateClosed) ?? 0 };
}

/** Twelve uploads of which none was in doubt. */
export const allRegistered = { ends: Array<string>(12).fill('APPLIED'), datasets: 12 };

/** The run worker and its gate. */
export async function runStage() {
  const gateway = await startRawGateway();
  const ledger = createMemoryLedger();
  const gate = stageGate({ gateway, ledger, now: () => runs.now() }).environment();
  const runs = runsTo(gateway, { gate });
  /** Delivers a command as its queue does, until it has ended or the time is over. */
  async function work(command: Parameters<typeof runs.deliver>[0], longestMs: number, receiveCount = 1) {
    const sentAt = runs.now();
    for (let leftMs = longestMs; leftMs > 0; receiveCount += 1) {
      const result = await runs.deliver(command, { receiveCount, sentAt });
      if (result.kind === 'done') return result;
      leftMs -= result.delayMs;
      runs.passMs(result.delayMs);
    }
    return undefined;
  }
  return { gateway, runs, work };
}

/** A planned stop meets the edge for twenty minutes, then the gateway. */
export async function stopBehind(doing: Doing) {
  const { gateway, runs, work } = await runStage();
  await work(start, hour);
  runs.passMs(hour);
  const [stop] = await runs.plannedStops();
  if (stop === undefined) throw new Error('no stop is planned');

  gateway.always(doing);
  const during = await work(stop, 20 * minute);
  const row = await runs.command(stop.id);
  const held = await runs.inFlight();
  gateway.always(answerWell);
  const after = await work(stop, 10 * minute, 200);

  const isSent = row?.attempt?.evidence?.requestSent;
  return {
    during,
    held: held.length,
    isSent,
    ends: after?.outcomes?.map(({ kind }) => kind),
    effects: runs.transitions(),
  };
}

/** A stop that waited and was settled. After its effect a repeat of it changes nothing more. */
export const settled = { during: undefined, held: 1, isSent: true, ends: ['applied'], effects: ['starts', 'stops'] };
