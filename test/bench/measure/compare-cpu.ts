import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import type { RowOptions, RowResult } from '../bench-row.ts';
import { openResponder } from '../responder/open-responder.ts';
import { type OpenSubject, openSubject } from './run-subject.ts';
import { shuffled, type Spread, spreadOf } from './statistics.ts';
import type { Sample } from './subject.ts';

/** What is compared with bare undici, which sends the same PATCH. */
export interface CpuComparison {
  /** A file below `subjects/`, without its ending. */
  readonly subject: string;
  /** Messages that arrive together. */
  readonly batch?: number;
}

/** What the rounds came to. */
export interface CpuResult {
  /** The product over the mean of the peer's two processes of the same round. */
  readonly ratio: Spread;
  readonly sameTwice: NonNullable<RowResult['sameTwice']>;
  /** `47.1 µs against 38.9 µs of CPU, middle half 1.18–1.24`. */
  readonly detail: string;
  /** Wall times. */
  readonly wall: string;
}

/** In each round the peer works twice: what the two differ by is what the machine makes of nothing. */
const contenders = ['product', 'peer', 'the peer again'] as const;
type Contender = (typeof contenders)[number];

const subjects = join(import.meta.dirname, '..', 'subjects');

/** Units of work in a round, before which some are done and not measured. */
const times = 10_000;
const warmUp = 3000;
/** All are ready, one does its share, then the next one: what changes on the machine meets them all. */
const turns = 10;

/**
 * Compares CPU time. In each round every contender works, in random order, each in a new process of
 * its own. The product is bundled as it is deployed, since that is part of its speed.
 */
export async function compareCpu(
  { subject, batch }: CpuComparison,
  { random, rounds }: Pick<RowOptions, 'random' | 'rounds'>,
): Promise<CpuResult> {
  await using responder = await openResponder();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-bench-'));
  const id = basename(subject);
  await buildFunctions({ outDir: folder.path, entries: { [id]: join(subjects, `${subject}.ts`) } });
  const fileOf = (name: Contender) =>
    name === 'product' ? join(folder.path, id, 'handler.mjs') : join(subjects, 'client', 'client-undici.ts');

  const samples = new Map<Contender, Sample[]>(contenders.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    await using open = new AsyncDisposableStack();
    const ready: { readonly name: Contender; readonly running: OpenSubject; readonly taken: Sample[] }[] = [];
    for (const name of shuffled(contenders, random)) {
      const task = { file: fileOf(name), input: { origin: responder.origin, batch }, warmUp };
      ready.push({ name, running: open.use(await openSubject(task)), taken: [] });
    }
    for (let turn = 0; turn < turns; turn += 1) {
      for (const { running, taken } of shuffled(ready, random)) taken.push(await running.take(times / turns));
    }
    for (const { name, taken } of ready) samples.get(name)?.push(meanOf(taken));
  }
  return resultOf((name) => samples.get(name) ?? []);
}

function resultOf(of: (name: Contender) => readonly Sample[]): CpuResult {
  const cpu = (name: Contender) => of(name).map(({ cpuUs }) => cpuUs);
  const wall = (name: Contender) => time(of(name).map(({ wallUs }) => wallUs));
  const again = cpu('the peer again');
  const yardstick = cpu('peer').map((one, round) => (one + (again[round] ?? one)) / 2);
  const ratio = spreadOf(cpu('product').map((one, round) => one / (yardstick[round] ?? Number.NaN)));
  const range = `${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`;
  return {
    ratio,
    sameTwice: spreadOf(again.map((one, round) => one / (cpu('peer')[round] ?? Number.NaN))),
    detail: `${time(cpu('product'))} against ${time(yardstick)} of CPU, middle half ${range}`,
    wall: `wall: ${wall('product')} against ${wall('peer')}`,
  };
}

function meanOf(samples: readonly Sample[]): Sample {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  return { cpuUs: mean(({ cpuUs }) => cpuUs), wallUs: mean(({ wallUs }) => wallUs) };
}

/** The median in microseconds. */
function time(us: readonly number[]): string {
  return `${spreadOf(us).median.toFixed(1)} µs`;
}
