import type { RunsConfig } from '#functions/_runs/decide/state.ts';
import type { ResolvedGuards, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { PatchFate } from './counting-gateway.ts';
import type { Arrival } from './oracle.ts';
import type { Scenario } from './play.ts';

/** What the histories of the search are about. */
export const runId = '018f0000-0000-7000-8000-0000000000aa';
export const otherIds = ['018f0000-0000-7000-8000-0000000000b1', '018f0000-0000-7000-8000-0000000000b2'] as const;
export const campaignId = '018f0000-0000-7000-8000-00000000c0de';
export const tenOClock = Date.parse('2026-11-20T22:00:00Z');

const minuteMs = 60_000;

/** A command of three: its letter says what it is, its place when it was issued. */
export type Kind = 'start' | 'start, overriding' | 'stop' | 'stop by name';

/** A command that was issued so many minutes after ten. */
export function commandOf(kind: Kind, minute: number, more: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const isStart = kind === 'start' || kind === 'start, overriding';
  const base = {
    version: 1,
    id: `${isStart ? 'start' : 'stop'}-${minute}`,
    action: isStart ? 'start' : 'stop',
    issuedAt: new Date(tenOClock + minute * minuteMs).toISOString(),
    origin: { kind: 'operator', name: 'ann' },
  } as const;
  const about = kind === 'stop' ? { campaignRunId: runId } : { run: 'nightly' };
  const override =
    kind === 'start, overriding' ? { override: { guards: ['overlap' as const], reason: 'CHG-7' } } : undefined;
  return { ...base, ...about, ...override, ...more };
}

/** The configuration of one run whose id starts again and again, or of a pool of ids. */
export function configOf(of: {
  readonly confirm: boolean;
  readonly overlap: ResolvedGuards['overlap'];
  readonly stopAfter: string;
  readonly ids?: readonly string[];
  readonly more?: Readonly<Record<string, Partial<ResolvedRun>>>;
}): RunsConfig {
  const { confirm, overlap, stopAfter, ids, more = {} } = of;
  const nightly: ResolvedRun = {
    name: 'nightly',
    campaign: 'chat-bot',
    campaignId,
    confirm: confirm ? { by: 'runCount', within: 'PT30M' } : undefined,
    stopAfter,
    pool: ids === undefined ? { kind: 'repeat', campaignRunId: runId } : { kind: 'list', campaignRunIds: ids },
    guards: { target: 'chat-bot', overlap },
  };
  const others = Object.entries(more).map(([name, fields]) => [name, { ...nightly, name, ...fields }] as const);
  return {
    stage: 'search',
    mode: 'act',
    blackouts: [],
    timezone: 'UTC',
    gateway: {
      baseUrl: 'http://127.0.0.1:1',
      status: { start: 'running', stop: 'stopped' },
      requestsPerSecond: { datasets: 4, runs: 1, reads: 1 },
      alreadyInState: [],
      startsRepeatSafely: false,
      postMayRepeatOn: [],
    },
    runs: { nightly, ...Object.fromEntries(others) },
    requestsPerSecond: 1,
    readsPerSecond: 1,
  };
}

/** The orders of so many things. */
export function permutations<Value>(values: readonly Value[]): Value[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((one, index) =>
    permutations([...values.slice(0, index), ...values.slice(index + 1)]).map((rest) => [one, ...rest]),
  );
}

/** All tuples of so many of these. */
export function tuples<Value>(values: readonly Value[], length: number): Value[][] {
  if (length === 0) return [[]];
  return tuples(values, length - 1).flatMap((rest) => values.map((one) => [...rest, one]));
}

/** Arrivals in an order, each so long after the one before. */
export function arrivalsOf(
  commands: readonly CampaignRunCommand[],
  of: {
    readonly firstMs: number;
    readonly gapsMs: readonly number[];
    readonly fast?: number;
    readonly fastMs?: number;
  },
): Arrival[] {
  let atMs = of.firstMs;
  return commands.map((command, place) => {
    atMs += place === 0 ? 0 : (of.gapsMs[place - 1] ?? 0);
    return { command, atMs, skewMs: place === of.fast ? (of.fastMs ?? 300_000) : 0 };
  });
}

/** The ways in which a PATCH can go wrong. */
export const fates: readonly PatchFate[] = [
  'applied, no answer',
  'not applied, no answer',
  'applied late, no answer',
  429,
  422,
];

/** What every scenario of the search shares. */
export function scenarioOf(
  of: Pick<Scenario, 'arrivals' | 'config'> & Partial<Scenario> & { readonly isCounted: boolean },
): Scenario {
  const { isCounted, ...more } = of;
  return {
    startMs: tenOClock,
    campaign: { runCount: isCounted ? 'counts starts' : 'absent' },
    campaignId,
    fates,
    mostFaults: 1,
    mostDeaths: 0,
    ...more,
  };
}
