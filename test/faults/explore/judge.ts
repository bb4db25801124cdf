import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type CampaignRunCommand, compareCommands } from '#shared/messages/campaign-run-command.ts';
import type { RunEffect } from '../../builders/run-model.ts';
import { type Evidence, isExcused, type SeenOutcome, type Stint } from './evidence.ts';
import { minuteMs } from './history.ts';
import { judgeGuards } from './judge-guards.ts';

/** Each promise that the history broke, in one sentence each. */
export function judge(evidence: Evidence): readonly string[] {
  const stints = stintsOf(evidence.effects);
  return [
    ...judgeTwice(stints),
    ...judgeOutcomes(evidence),
    ...evidence.commands
      .filter(({ action }) => action === 'start')
      .flatMap((start) => judgeStart(start, stints, evidence)),
    ...judgePlannedEnds(stints, evidence),
    ...evidence.commands.filter(({ action }) => action === 'stop').flatMap((stop) => judgeStop(stop, stints, evidence)),
    ...judgePersons(evidence),
    ...judgeGuards(stints, evidence),
  ];
}

function stintsOf(effects: readonly RunEffect[]): readonly Stint[] {
  return effects.flatMap((begun, index) => {
    const { kind, campaignRunId, by = '', atMs: fromMs } = begun;
    if (kind !== 'begins') return [];
    const end = effects.slice(index + 1).find((one) => one.kind === 'ends' && one.campaignRunId === campaignRunId);
    return [{ campaignRunId, by, fromMs, endMs: end?.atMs ?? Infinity }];
  });
}

function judgeTwice(stints: readonly Stint[]): string[] {
  const twice = (what: (stint: Stint) => string) =>
    [...Map.groupBy(stints, what)].flatMap(([name, all]) => (all.length > 1 ? [name] : []));
  return [
    ...twice(({ campaignRunId }) => campaignRunId).map((id) => `the id ${id} began twice`),
    ...twice(({ by }) => by).map((by) => `I2: ${by} began two runs`),
  ];
}

function judgeOutcomes(evidence: Evidence): string[] {
  const { commands, outcomes, purged, reported } = evidence;
  const isRead = canReadRuns(evidence);
  return commands.flatMap(({ id }) => {
    const outcome = outcomes.get(id);
    if (outcome === undefined) return purged.has(id) || reported.has(id) ? [] : [`I1: ${id} has no outcome`];
    return isRead && outcome.reason === 'UNCONFIRMED' ? [`${id} is UNCONFIRMED though its run can be read`] : [];
  });
}

/** Runs can be read at any time, and no message is lost. */
function canReadRuns({ history, purged }: Evidence): boolean {
  const { config, unreadable, deployed } = history;
  return config.gateway.readsRuns === true && unreadable === undefined && deployed === undefined && purged.size === 0;
}

/** No outcome of a start is untrue, and nothing begins after one that denies it. */
function judgeStart({ id }: CampaignRunCommand, stints: readonly Stint[], evidence: Evidence): string[] {
  const outcome = evidence.outcomes.get(id);
  const begun = stints.find(({ by }) => by === id);
  if (outcome === undefined) return [];
  const { kind, reason = '', atMs, row } = outcome;
  const says = `${kind} ${reason}`;
  if (kind === 'applied') {
    const wasEnded = evidence.effects.some((one) => one.kind === 'ends' && one.campaignRunId === row.campaignRunId);
    return begun === undefined && !wasEnded ? [`${id} is applied, and no run began`] : [];
  }
  if (begun === undefined || reason === 'START_OUTCOME_UNKNOWN') return [];
  if (begun.fromMs > atMs) return [`${id} began after its outcome ${says}`];
  if (row.mayHaveRun === undefined) return [`I4: ${id} began, and its outcome is ${says}`];
  // By the gateway's clock.
  const from = Date.parse(row.mayHaveRun.from) - minuteMs - (evidence.history.kind.aheadMs ?? 0);
  return begun.fromMs >= from ? [] : [`I4: ${id} ran before ${row.mayHaveRun.from}, which its outcome says`];
}

/** A tick, a queue, a few answers that fail; a lost message is sent again after an hour. */
function slackMs({ history, purged, deaths }: Evidence): number {
  const { watcherDown, gateClosed, observing } = history;
  // A stage that observes sends no stop; a command that it began for real waits a quarter of an hour at a time.
  const outage =
    (watcherDown?.lasts ?? 0) +
    Math.min(gateClosed?.lasts ?? 0, 2) +
    (observing === undefined ? 0 : observing.lasts + 15);
  return (16 + outage + deaths * 4 + (purged.size > 0 ? 75 : 0)) * minuteMs;
}

function judgePlannedEnds(stints: readonly Stint[], evidence: Evidence): string[] {
  return stints.flatMap((stint) => {
    const entry = evidence.entries.get(stint.by);
    if (entry === undefined || !entry.plansStop || isExcused(stint, evidence)) return [];
    const lateMs = stint.endMs - Date.parse(entry.endsAt);
    return lateMs <= slackMs(evidence)
      ? []
      : [`I8: the run of ${stint.by} went on past its planned stop at ${entry.endsAt}`];
  });
}

/** Once a stop has its outcome, no run of an earlier start goes on, and none begins. It ends no run of a later one. */
function judgeStop(stop: CampaignRunCommand, stints: readonly Stint[], evidence: Evidence): string[] {
  const outcome = evidence.outcomes.get(stop.id);
  if (outcome === undefined) return [];
  const order = { id: stop.id, issuedAt: outcome.row.sent ?? stop.issuedAt };
  return stints.flatMap((stint) => {
    const start = evidence.commands.find(({ id }) => id === stint.by);
    if (start === undefined || !isAbout(stop, start, stint)) return [];
    if (compareCommands(start, order) > 0) {
      return hasEnded(stop, stint, evidence) ? [`I5: ${stop.id} ended the run of the later ${stint.by}`] : [];
    }
    if (stint.endMs <= outcome.atMs || isAllowed(stop, outcome, stint, evidence)) return [];
    const what = stint.fromMs > outcome.atMs ? 'began after' : 'went on after';
    return [`I5: the run of ${stint.by} ${what} ${stop.id} ended ${outcome.kind} ${outcome.reason ?? ''}`];
  });
}

function isAbout(stop: CampaignRunCommand, start: CampaignRunCommand, { campaignRunId }: Stint): boolean {
  return stop.run === undefined ? stop.campaignRunId === campaignRunId : stop.run === start.run;
}

function hasEnded({ id }: CampaignRunCommand, { campaignRunId, endMs }: Stint, { effects }: Evidence): boolean {
  return effects.some((one) => one.by === id && one.campaignRunId === campaignRunId && one.atMs === endMs);
}

/** It says itself that it may be running, or a stop by name does not see a run that was counted out. */
function isAllowed(stop: CampaignRunCommand, { kind, atMs }: SeenOutcome, stint: Stint, evidence: Evidence): boolean {
  if (kind === 'parked' || kind === 'superseded' || isExcused(stint, evidence)) return true;
  const entry = evidence.entries.get(stint.by);
  const isCountedOut = entry !== undefined && !entry.plansStop && Date.parse(entry.endsAt) <= atMs + minuteMs;
  return isCountedOut && stop.run !== undefined;
}

/** Nothing needs a person but what the gateway refuses for good, three deaths, an empty pool, a name that is gone. */
function judgePersons(evidence: Evidence): string[] {
  return [...evidence.outcomes].flatMap(([id, { kind, reason = '', row }]) => {
    if (kind !== 'parked' || isForPerson(reason, row, evidence)) return [];
    return [`a person is needed for ${id}: ${reason}`];
  });
}

const ofTime = new Set(['START_OUTCOME_UNKNOWN', 'HORIZON_EXCEEDED', 'CRASH_LOOP']);

function isForPerson(reason: string, { id, command, campaignRunId = '' }: CommandRow, evidence: Evidence): boolean {
  const { refused, deaths, history } = evidence;
  if (reason === 'NO_RUN_LEFT') return true;
  if (reason === 'CONFIG') return history.deployed !== undefined;
  // Without a validity a start waits for the run that nothing ends.
  if (reason === 'HORIZON_EXCEEDED') return command.override?.guards.includes('validity') === true;
  if (ofTime.has(reason)) return deaths >= 3;
  // A stop that was parked has ended its run all the same.
  if (reason === 'CONFLICT' && isExcused({ campaignRunId, by: id }, evidence)) return true;
  return (refused.get(id) ?? []).some((status) => status < 500 && status !== 429);
}
