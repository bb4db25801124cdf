import { openGate } from '#functions/_gateway/gate.ts';
import { readWatch } from '#functions/poll-scanner-packages/known-packages.ts';
import type { ScannerPackage } from '#shared/gateway-client/index.ts';
import { type PollDeps, pollWatch } from '#functions/poll-scanner-packages/poll-watch.ts';
import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { PackageFingerprint, WatchRow } from '#shared/ledger/rows/watch-row.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { expectDocumented } from '../../../builders/documented-event.ts';
import { keptOutput } from '../../../builders/ports.ts';

/** Where a tick dies: at its nth effect, before it is made or after (the answer is lost). */
export interface Crash {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** A death at each of the first effects, before it and after it. */
export const crashesUpTo = (effects: number): readonly Crash[] =>
  Array.from({ length: 2 * effects }, (_, index) => ({
    at: Math.floor(index / 2) + 1,
    when: index % 2 === 0 ? 'before' : 'after',
  }));

/** What the tick dies of. */
class CrashError extends Error {}

/** A package as the tests need it; fields over the defaults. */
export function aPackage(id: string, fields: Readonly<Record<string, unknown>> = {}): ScannerPackage {
  return {
    id,
    name: `Package ${id}`,
    direction: 'request',
    source: { type: 'vendor' },
    availableUpdate: '2026-01',
    scannerIds: ['s1', 's2'],
    ...fields,
  };
}

/** Packages `p1`, `p2`, … */
export function packages(count: number): ScannerPackage[] {
  return Array.from({ length: count }, (_, index) => aPackage(`p${index + 1}`));
}

/** What a ledger knows of the packages of the watch `vendor`. */
export async function knownIn(ledger: Ledger): Promise<ReadonlyMap<string, PackageFingerprint>> {
  return (await readWatch('vendor', '', ledger)).packages;
}

/** The rows of packages, as they are. */
export function packageRowsOf(ledger: ReturnType<typeof createMemoryLedger>): readonly Stored[] {
  return structuredClone(ledger.all().filter(({ kind }) => kind === 'watch-packages'));
}

/** A watch that starts `smoke` on any change. */
export function aWatch(overrides: Partial<ResolvedPackageWatch> = {}): ResolvedPackageWatch {
  return {
    name: 'vendor',
    every: 'PT15M',
    expression: 'rate(15 minutes)',
    filters: { source: 'vendor' },
    onChange: [{ match: { name: '*' }, start: 'smoke' }],
    ...overrides,
  };
}

/** Polls of one watch against a ledger in memory, with a clock, a queue and a bus that remember. */
export function createPollBench(watch: ResolvedPackageWatch = aWatch()) {
  const ledger = createMemoryLedger();
  const commands: CampaignRunCommand[] = [];
  const events: { readonly eventId: string; readonly [field: string]: unknown }[] = [];
  const { lines: logged, counts: counted, log, count } = keptOutput();
  let nowMs = Date.parse('2026-11-20T22:00:00Z');
  let polls = 0;

  function depsOf(listed: Listed, effect: Effect): PollDeps {
    polls += 1;
    return {
      gateway: { listScannerPackages: () => (Symbol.asyncIterator in listed ? endless(listed) : pagesOf(listed)) },
      gate: openGate,
      ledger: {
        ...ledger,
        write: (before, after) => effect(() => ledger.write(before, after)),
        writeAll: (changes) => effect(() => ledger.writeAll(changes)),
      },
      commands: { send: (body) => effect(async () => void commands.push(JSON.parse(body))) },
      bus: {
        publish: (type, detail) => {
          expectDocumented(type, detail);
          return effect(async () => void events.push(detail));
        },
      },
      reports: { log, count },
      now: () => new Date(nowMs),
      remainingMs: () => 900_000,
      attemptId: `attempt-${polls}`,
    };
  }

  async function poll(
    listed: Listed,
    options: { readonly crash?: Crash; readonly deps?: Partial<PollDeps>; readonly watch?: ResolvedPackageWatch } = {},
  ): Promise<TickAnswer> {
    nowMs += 15 * 60_000;
    return pollWatch(options.watch ?? watch, { ...depsOf(listed, effectsUntil(options.crash)), ...options.deps });
  }

  return {
    ledger,
    commands,
    events,
    logged,
    counted,
    poll,
    /** Polls and dies on the way; says whether it did. */
    pollAndCrash: async (listed: readonly ScannerPackage[], crash: Crash, other = watch) =>
      didCrash(poll(listed, { crash, watch: other })),
    head: () => ledger.read<WatchRow>(ledgerKeys.watch(watch.name)),
    advance: (ms: number) => {
      nowMs += ms;
    },
    startIds: () => [...new Set(commands.map(({ id }) => id))],
    eventIds: () => [...new Set(events.map(({ eventId }) => eventId))],
  };
}

/** A bench whose watch has seen these packages once. */
export async function baselined(watch = aWatch(), listed: readonly ScannerPackage[] = packages(3)) {
  const bench = createPollBench(watch);
  await bench.poll(listed);
  return bench;
}

type Effect = <Result>(make: () => Promise<Result>) => Promise<Result>;

/** Once dead, a process makes no effects at all. */
export function effectsUntil(crash: Crash | undefined): Effect {
  let made = 0;
  return async (make) => {
    made += 1;
    if (crash === undefined || made < crash.at) return make();
    if (made === crash.at && crash.when === 'after') await make();
    throw new CrashError(`died ${crash.when} effect ${made}`);
  };
}

/** Says whether the process died on its way. */
export async function didCrash(process: Promise<unknown>): Promise<boolean> {
  return process.then(
    () => false,
    (error: unknown) => {
      if (error instanceof CrashError) return true;
      throw error;
    },
  );
}

/** Packages, or pages of them that are made while the poll walks. */
type Listed = readonly ScannerPackage[] | AsyncIterable<readonly ScannerPackage[]>;

const pageSize = 3;

/** Pages of three packages; each has the cursor of the next one. */
export async function* pagesOf(listed: readonly ScannerPackage[]) {
  for (let from = 0; from === 0 || from < listed.length; from += pageSize) {
    const to = from + pageSize;
    yield { packages: listed.slice(from, to), next: to < listed.length ? String(to) : undefined };
  }
}

/** Which of these pages is the last is unknown. */
async function* endless(pages: AsyncIterable<readonly ScannerPackage[]>) {
  let count = 0;
  for await (const page of pages) {
    count += 1;
    yield { packages: page, next: `page-${count}` };
  }
}
