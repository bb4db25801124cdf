import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRow, RowResult } from '../bench-row.ts';
import { buildDeployed, functionEnvironment, stopEvent } from '../measure/deployed-function.ts';
import { type ColdSample, runCold } from '../measure/run-cold.ts';
import { shuffled, spreadOf } from '../measure/statistics.ts';
import { buildTypical } from '../peers/build-typical.ts';
import { openResponder } from '../responder/open-responder.ts';
import { typicalBytesOfBar } from './bundles.ts';

const peersFolder = join(import.meta.dirname, '..', 'peers');

/** Who starts, with what event. The typical worker starts twice in every round. */
const starts = [
  'first request',
  'first request of register-datasets',
  'whole message',
  'typical',
  'typical again',
  'floor',
] as const;
type Start = (typeof starts)[number];

/** From import to the first answer, whichever function it is. */
const limits = { bar: 1 };

/** Those that answer the empty event; the others get one message. */
const emptyEvent: ReadonlySet<Start> = new Set<Start>(['first request', 'first request of register-datasets']);

/**
 * From nothing to the first answer of the gateway. `first request` is the empty event of
 * poll-scanner-packages: one row of the ledger, the token, one GET.
 * `first request of register-datasets` is the same of a function that has a client of the bucket
 * too. `whole message` is a stop of a run by update-campaign-runs with all that its ledger takes.
 */
export const cold: BenchRow = {
  id: 'cold',
  title: 'cold path, CPU of import, token and first request',
  peer: 'the typical worker: undici, AWS client, Powertools, zod',
  isNoiseFree: false,
  async measure({ random, rounds }) {
    await using responder = await openResponder();
    const folder = await mkdtemp(join(tmpdir(), 'autopilot-bench-'));
    try {
      const { files, typicalBytes } = await buildAll(folder, responder.origin);
      const environment = functionEnvironment(responder.origin);
      const samples = new Map<Start, ColdSample[]>(starts.map((start) => [start, []]));
      for (let round = 0; round < rounds; round += 1) {
        for (const start of shuffled(starts, random)) {
          const events = [emptyEvent.has(start) ? {} : stopEvent(1)];
          const sample = await runCold({ file: files[start], events, environment });
          assertHandled(start, sample.answer);
          samples.get(start)?.push(sample);
        }
      }
      return resultOf((start) => samples.get(start) ?? [], typicalBytes);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

function resultOf(samples: (start: Start) => readonly ColdSample[], typicalBytes: number): RowResult {
  const cpu = (start: Start) => samples(start).map(({ cpuUs }) => cpuUs);
  const typical = cpu('typical').map((one, round) => (one + (cpu('typical again')[round] ?? one)) / 2);
  const figureOf = (start: Start) => {
    const ratio = spreadOf(cpu(start).map((one, round) => one / (typical[round] ?? Number.NaN)));
    const detail = `${ms(cpu(start))} against ${ms(typical)} of CPU, middle half ${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`;
    return { name: start, value: ratio.median, unit: '×', detail };
  };
  const floor = cpu('floor');
  const times = (spreadOf(typical).median / spreadOf(floor).median).toFixed(1);
  return {
    figures: [
      { ...figureOf('first request'), ...limits },
      { ...figureOf('first request of register-datasets'), ...limits },
      figureOf('whole message'),
    ],
    notes: [
      'first request: the empty event of poll-scanner-packages; that of register-datasets also makes the client of S3',
      `typical worker: ${Math.round(typicalBytes / 1000)} KB; the row \`bundles\` counts at most ${typicalBytesOfBar / 1000} KB of it`,
      'whole message: three reads and three writes of the ledger and an event; the typical worker keeps nothing',
      `floor (token in a variable, one PATCH by node:http, no check): ${ms(floor)} of CPU; the typical worker takes ${times}× that`,
    ],
    asides: [`wall: ${starts.map((start) => `${start} ${ms(samples(start).map(({ wallUs }) => wallUs))}`).join(', ')}`],
    sameTwice: spreadOf(cpu('typical again').map((one, round) => one / (cpu('typical')[round] ?? Number.NaN))),
  };
}

function ms(us: readonly number[]): string {
  return `${(spreadOf(us).median / 1000).toFixed(0)} ms`;
}

/** The bundles as they would be uploaded, the product's with their configuration beside them. */
async function buildAll(
  folder: string,
  baseUrl: string,
): Promise<{ readonly files: Readonly<Record<Start, string>>; readonly typicalBytes: number }> {
  const poll = await buildDeployed('poll-scanner-packages', folder, baseUrl);
  const update = await buildDeployed('update-campaign-runs', folder, baseUrl);
  const register = await buildDeployed('register-datasets', folder, baseUrl);
  const { file: typical, bytes: typicalBytes } = await buildTypical(folder);
  const files = {
    'first request': poll,
    'first request of register-datasets': register,
    'whole message': update,
    typical,
    'typical again': typical,
    floor: join(peersFolder, 'floor-worker.mjs'),
  };
  return { files, typicalBytes };
}

/**
 * @throws Error if a worker gave its message back, or a check failed: it has not done what is
 *   measured
 */
function assertHandled(start: Start, answer: unknown): void {
  const text = JSON.stringify(answer);
  if (text !== '{"batchItemFailures":[]}' && !text.startsWith('{"ok":true')) {
    throw new Error(`${start} did not do its work: ${text}`);
  }
}
