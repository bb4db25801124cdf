import { type RowOptions, type RowResult } from '../bench-row.ts';
import { type OpenSubject, openSubject } from './run-subject.ts';
import { shuffled, type Spread, spreadOf } from './statistics.ts';
import type { Sample, SubjectInput } from './subject.ts';

/** One of those that are compared. */
export interface Contender {
  readonly name: string;
  /** Absolute path of the file that exports `prepare`. */
  readonly file: string;
  /** Variables of its process. @default none beside what every process has */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What to compare. */
export interface CpuComparison {
  readonly product: Contender;
  /**
   * The yardstick. It runs twice in every round: the difference of the two is what the machine
   * makes of nothing.
   */
  readonly peer: Contender;
  /** Others, printed only. */
  readonly others?: readonly Contender[];
  readonly input: SubjectInput;
  readonly warmUp: number;
  /** Units of work of each contender in each round. */
  readonly times: number;
  /**
   * In how many turns: all are ready, one does its share, then the next one, so that what changes
   * on the machine meanwhile meets them all.
   * @default 1
   */
  readonly turns?: number;
  /**
   * In how many processes, one after the other: what a cold one does is over too soon to be one
   * sample. @default 1
   */
  readonly processes?: number;
  readonly rounds: number;
}

/** What the rounds came to. */
export interface CpuResult {
  /** The product over the mean of the peer's two processes of the same round. */
  readonly ratio: Spread;
  readonly sameTwice: NonNullable<RowResult['sameTwice']>;
  /** `47.1 µs against 38.9 µs of CPU, middle half 1.18–1.24`. */
  readonly detail: string;
  /** The other contenders. */
  readonly notes: readonly string[];
  /** Wall times. */
  readonly asides: readonly string[];
}

const again = 'the peer again';

/**
 * Compares CPU time. In each round every contender works, in random order, each in a new process of
 * its own.
 */
export async function compareCpu(
  comparison: CpuComparison,
  { random }: Pick<RowOptions, 'random'>,
): Promise<CpuResult> {
  const { product, peer, others = [], rounds, processes = 1 } = comparison;
  const contenders = [product, peer, { ...peer, name: again }, ...others];
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const played = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]));
    for (let process = 0; process < processes; process += 1) {
      for (const [name, sample] of await playRound(contenders, comparison, random)) played.get(name)?.push(sample);
    }
    for (const [name, ofRound] of played) samples.get(name)?.push(meanOf(ofRound));
  }
  const of = (name: string) => samples.get(name) ?? [];
  const cpu = (name: string) => of(name).map(({ cpuUs }) => cpuUs);
  const yardstick = cpu(peer.name).map((one, round) => (one + (cpu(again)[round] ?? one)) / 2);
  const over = (name: string) => spreadOf(cpu(name).map((one, round) => one / (yardstick[round] ?? Number.NaN)));

  const ratio = over(product.name);
  const sameTwice = spreadOf(cpu(again).map((one, round) => one / (cpu(peer.name)[round] ?? Number.NaN)));
  return {
    ratio,
    sameTwice,
    detail: `${time(median(cpu(product.name)))} against ${time(median(yardstick))} of CPU, middle half ${range(ratio)}`,
    notes: others.map(({ name }) => `${name}: ${over(name).median.toFixed(2)}× (${time(median(cpu(name)))})`),
    asides: [
      `wall: ${[product, peer, ...others].map(({ name }) => `${name} ${time(median(of(name).map(({ wallUs }) => wallUs)))}`).join(', ')}`,
    ],
  };
}

async function playRound(
  contenders: readonly Contender[],
  { input, warmUp, times, turns = 1 }: CpuComparison,
  random: () => number,
): Promise<ReadonlyMap<string, Sample>> {
  await using subjects = new AsyncDisposableStack();
  const ready: { readonly name: string; readonly subject: OpenSubject; readonly taken: Sample[] }[] = [];
  for (const { name, file, environment } of shuffled(contenders, random)) {
    ready.push({ name, subject: subjects.use(await openSubject({ file, input, warmUp }, environment)), taken: [] });
  }
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { subject, taken } of shuffled(ready, random)) taken.push(await subject.take(times / turns));
  }
  return new Map(ready.map(({ name, taken }) => [name, meanOf(taken)]));
}

function meanOf(samples: readonly Sample[]): Sample {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  return {
    cpuUs: mean(({ cpuUs }) => cpuUs),
    wallUs: mean(({ wallUs }) => wallUs),
    peakMb: Math.max(...samples.map(({ peakMb }) => peakMb)),
  };
}

function median(values: readonly number[]): number {
  return spreadOf(values).median;
}

function range({ low, high }: Spread): string {
  return `${low.toFixed(2)}–${high.toFixed(2)}`;
}

/** Microseconds for people. */
function time(us: number): string {
  if (us < 1000) return `${us.toFixed(1)} µs`;
  return us < 1_000_000 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1_000_000).toFixed(2)} s`;
}
