import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRow, RowResult } from '../bench-row.ts';
import { buildDeployed, functionEnvironment, stopEvent } from '../measure/deployed-function.ts';
import { type ColdSample, runCold } from '../measure/run-cold.ts';
import { shuffled, spreadOf } from '../measure/statistics.ts';
import { buildTypical } from '../peers/build-typical.ts';
import { openResponder } from '../responder/open-responder.ts';
import { typicalBytesOfBar } from './bundles.ts';

/** Who starts. The typical worker starts twice in every round. */
const starts = [
  'first request',
  'first request of register-datasets',
  'typical',
  'typical again',
  'typical with S3',
] as const;
type Start = (typeof starts)[number];

/**
 * From nothing to the first answer of the gateway. `first request` is the empty event of
 * poll-scanner-packages: one row of the ledger, the token, one GET.
 * `first request of register-datasets` is the same of a function that has a client of the bucket
 * too, and so has its peer. A typical worker gets one message.
 */
export const cold: BenchRow = {
  id: 'cold',
  title: 'cold path, CPU of import, token and first request',
  peer: 'the typical worker: undici, AWS client, Powertools, zod',
  isNoiseFree: false,
  async measure({ random, rounds }) {
    await using responder = await openResponder();
    await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-bench-'));
    const { origin } = responder;
    const poll = await buildDeployed('poll-scanner-packages', folder.path, origin);
    const register = await buildDeployed('register-datasets', folder.path, origin);
    const { file: typical, bytes } = await buildTypical(folder.path);
    const files: Readonly<Record<Start, string>> = {
      'first request': poll,
      'first request of register-datasets': register,
      typical,
      'typical again': typical,
      'typical with S3': (await buildTypical(folder.path, 'typical-uploads-worker')).file,
    };
    const samples = new Map<Start, ColdSample[]>(starts.map((start) => [start, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const start of shuffled(starts, random)) {
        const events = [start.startsWith('typical') ? stopEvent : {}];
        const sample = await runCold({ file: files[start], events, environment: functionEnvironment(origin) });
        assertHandled(start, sample.answer);
        samples.get(start)?.push(sample);
      }
    }
    return resultOf((start) => samples.get(start) ?? [], bytes);
  },
};

function resultOf(samples: (start: Start) => readonly ColdSample[], typicalBytes: number): RowResult {
  const cpu = (start: Start) => samples(start).map(({ cpuUs }) => cpuUs);
  const typical = cpu('typical').map((one, round) => (one + (cpu('typical again')[round] ?? one)) / 2);
  const figureOf = (start: Start, peer: readonly number[]) => {
    const ratio = spreadOf(cpu(start).map((one, round) => one / (peer[round] ?? Number.NaN)));
    const detail = `${ms(cpu(start))} against ${ms(peer)} of CPU, middle half ${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`;
    return { name: start, value: ratio.median, unit: '×', bar: 1, detail };
  };
  return {
    figures: [
      figureOf('first request', typical),
      figureOf('first request of register-datasets', cpu('typical with S3')),
    ],
    notes: [
      'first request: the empty event of poll-scanner-packages; register-datasets and its peer make the client of S3 too',
      `typical worker: ${Math.round(typicalBytes / 1000)} KB; the row \`bundles\` counts at most ${typicalBytesOfBar / 1000} KB of it`,
    ],
    asides: [`wall: ${starts.map((start) => `${start} ${ms(samples(start).map(({ wallUs }) => wallUs))}`).join(', ')}`],
    sameTwice: spreadOf(cpu('typical again').map((one, round) => one / (cpu('typical')[round] ?? Number.NaN))),
  };
}

function ms(us: readonly number[]): string {
  return `${(spreadOf(us).median / 1000).toFixed(0)} ms`;
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
