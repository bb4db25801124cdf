import type { RunsConfig } from '#functions/_runs/decide/state.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { resolveRepeat } from '#shared/ledger/resolve-parked.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { CampaignShown, PatchFate } from './counting-gateway.ts';
import { type Arrival, judge, told } from './oracle.ts';
import { nameOf } from './play.ts';
import { campaignId, tenOClock } from './scenarios.ts';
import { createStage } from './stage.ts';
import { createWatchedWrites } from './light-ledger.ts';

/** An interval, in minutes after ten. */
export interface Minutes {
  readonly from: number;
  readonly lasts: number;
}

/** One random history: all that happens beside what the worker decides. */
export interface RandomHistory {
  readonly arrivals: readonly (Arrival & { readonly copies: readonly number[] })[];
  readonly config: RunsConfig;
  /** A deployment. */
  readonly deployed?: { readonly atMinute: number; readonly config: RunsConfig };
  readonly campaign: CampaignShown['runCount'];
  readonly lastRunAtMs?: CampaignShown['lastRunAtMs'];
  /** Of the PATCHes, in order; after them each is applied. */
  readonly fates: readonly PatchFate[];
  /** Points at which the attempt dies, counted over the history. */
  readonly deaths: readonly number[];
  readonly gateClosed?: Minutes;
  readonly watcherDown?: Minutes;
  readonly unreadable?: Minutes;
  /** Every message that is in the queue then is gone. */
  readonly purgedAtMinute?: number;
  /** A person orders the repeat of what is parked, so many minutes later. */
  readonly repeatsAfterMinutes?: number;
}

const minuteMs = 60_000;
const dayMs = 26 * 60 * minuteMs;
/** A person orders no more of them for one command. */
const mostRepeats = 2;

/** Plays a random history to its end; answers what broke, with what happened. */
export async function playRandom(
  history: RandomHistory,
): Promise<{ readonly faults: readonly string[]; readonly told: () => string }> {
  const { arrivals, gateClosed, watcherDown, unreadable, deployed, purgedAtMinute } = history;
  const seen = createWatchedWrites();
  const repeats = new Map<string, number>();
  const purged = new Set<string>();
  const fates = [...history.fates];
  let points = 0;

  const minuteNow = () => (stage.world.nowMs() - tenOClock) / minuteMs;
  const isIn = (minutes: Minutes | undefined) =>
    minutes !== undefined && minuteNow() >= minutes.from && minuteNow() < minutes.from + minutes.lasts;
  const configNow = () =>
    deployed !== undefined && minuteNow() >= deployed.atMinute ? deployed.config : history.config;

  const stage = createStage({
    startMs: tenOClock,
    config: () => configNow(),
    campaign: {
      runCount: history.campaign,
      lastRunAtMs: history.lastRunAtMs,
      fateOfRead: () => (isIn(unreadable) ? 'not sent' : 'ok'),
    },
    campaignId,
    ignoresRunning: history.config.gateway.startsRepeatSafely,
    fateOf: () => fates.shift() ?? 'ok',
    skewMs: ({ id }) => arrivals.find(({ command }) => command.id === id)?.skewMs ?? 0,
    dies() {
      points += 1;
      return history.deaths.includes(points) ? (points % 2 === 0 ? 'late' : 'dead') : false;
    },
    gateWaitMs: () =>
      isIn(gateClosed) ? ((gateClosed?.from ?? 0) + (gateClosed?.lasts ?? 0) - minuteNow()) * minuteMs : 0,
    isWatcherDown: () => isIn(watcherDown),
    onWritten(rows, nowMs) {
      seen.see(rows, nowMs);
      for (const { after } of rows)
        if (after.kind === 'command' && after.outcome?.kind === 'parked') orderRepeat(after);
    },
  });

  function orderRepeat({ id, pk }: Stored<CommandRow>): void {
    const ordered = repeats.get(id) ?? 0;
    if (history.repeatsAfterMinutes === undefined || ordered >= mostRepeats) return;
    stage.world.at(stage.world.nowMs() + history.repeatsAfterMinutes * minuteMs, () => {
      const row = stage.ledger.get(pk) as Stored<CommandRow> | undefined;
      if (row?.outcome?.kind !== 'parked') return;
      const resolved = resolveRepeat(row, { by: 'ann', reason: 'CHG-7', at: new Date(stage.world.nowMs()) });
      if (!resolved.ok) return;
      repeats.set(id, (repeats.get(id) ?? 0) + 1);
      void stage.ledger.write<CommandRow>(row, resolved.row);
      stage.send(row.command);
    });
  }

  for (const { command, atMs, copies } of arrivals) {
    stage.send(command, atMs);
    for (const minutes of copies) stage.send(command, atMs + minutes * minuteMs);
  }
  if (purgedAtMinute !== undefined) {
    stage.world.at(tenOClock + purgedAtMinute * minuteMs, () =>
      stage.purge((message) => {
        if (message.sentMs > stage.world.nowMs()) return false;
        purged.add(message.command.id);
        return true;
      }),
    );
  }

  const faults: string[] = [];
  try {
    await stage.world.runUntil(tenOClock + dayMs);
    if (stage.waiting.size > 0) faults.push(`I1: ${stage.waiting.size} messages are pending at the end`);
  } catch (error) {
    faults.push(`threw ${String(error)}`);
  }
  faults.push(
    ...seen.faults,
    ...stage.errors,
    ...judge({
      arrivals,
      purged,
      gateway: stage.gateway,
      outcomes: seen.outcomes,
      nameOf: (id) => nameOf(history.config, id),
      stopAfterMs: (id) =>
        longestStopAfterMs(arrivals.find(({ command }) => command.id === id)?.command, [
          history.config,
          deployed?.config,
        ]),
      repeats,
      endMs: stage.world.nowMs(),
      outageMs: outageMsOf(history),
      targetChangedMs: targetChangedMs(history),
      repeatsStarts: history.config.gateway.startsRepeatSafely,
    }),
  );
  return { faults, told: () => told(stage.gateway.effects, seen.outcomes, tenOClock) };
}

function targetChangedMs({ config, deployed }: RandomHistory): number | undefined {
  if (deployed === undefined) return undefined;
  const isOther = Object.entries(deployed.config.runs).some(
    ([name, { guards }]) => guards.target !== config.runs[name]?.guards.target,
  );
  return isOther ? tenOClock + deployed.atMinute * minuteMs : undefined;
}

/** By how much a history's troubles may make anything late, all of them one after the other. */
function outageMsOf(history: RandomHistory): number {
  const { gateClosed, watcherDown, unreadable, purgedAtMinute, repeatsAfterMinutes = 0 } = history;
  const outages = [gateClosed, watcherDown, unreadable].map((minutes) => minutes?.lasts ?? 0);
  const purgedMinutes = purgedAtMinute === undefined ? 0 : 70;
  return minuteMs * outages.reduce((sum, lasts) => sum + lasts, purgedMinutes + 2 * repeatsAfterMinutes);
}

/** By the configuration before or after the deployment; absent if either plans no stop. */
function longestStopAfterMs(
  command: CampaignRunCommand | undefined,
  configs: readonly (RunsConfig | undefined)[],
): number | undefined {
  if (command?.stopAfter !== undefined) return durationMs(command.stopAfter);
  const all = configs.flatMap((config) =>
    config?.runs[command?.run ?? ''] === undefined ? [] : [config.runs[command?.run ?? '']],
  );
  const planned = all.map((run) => durationMs(run?.stopAfter ?? ''));
  return planned.includes(undefined) || planned.length === 0 ? undefined : Math.max(...planned.map((ms) => ms ?? 0));
}
