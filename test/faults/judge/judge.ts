import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type Evidence, isExcused, isLater, minuteMs, type SeenOutcome, type Stint, stintsOf } from './evidence.ts';
import { judgeGuards } from './judge-guards.ts';

/** Each promise that a history broke, by what took effect at the gateway, in one sentence each. */
export function judge(evidence: Evidence): readonly string[] {
  const stints = stintsOf(evidence.effects);
  const of = (action: CampaignRunCommand['action']) => evidence.commands.filter((command) => command.action === action);
  return [
    ...judgeTwice(stints),
    ...judgeOutcomes(evidence),
    ...of('start').flatMap((start) => judgeSuperseded(start, evidence)),
    ...of('start').flatMap((start) => judgeStart(start, stints, evidence)),
    ...judgePlannedEnds(stints, evidence),
    ...[judgeEnded, judgeStop, judgeStopped].flatMap((rule) =>
      of('stop').flatMap((stop) => rule(stop, stints, evidence)),
    ),
    ...judgeGuards(stints, evidence),
  ];
}

function judgeTwice(stints: readonly Stint[]): string[] {
  const twice = (what: (stint: Stint) => string) =>
    [...Map.groupBy(stints, what)].flatMap(([name, all]) => (all.length > 1 ? [name] : []));
  return [
    ...twice(({ campaignRunId }) => campaignRunId).map((id) => `the id ${id} began twice`),
    ...twice(({ by }) => by).map((by) => `I2: ${by} began two runs`),
  ];
}

function judgeOutcomes({ commands, outcomes, unended }: Evidence): string[] {
  return commands.flatMap(({ id }) => (outcomes.has(id) || unended.has(id) ? [] : [`I1: ${id} has no outcome`]));
}

/** Something about the same run that is later took the place of a start. */
function judgeSuperseded(start: CampaignRunCommand, evidence: Evidence): string[] {
  if (evidence.outcomes.get(start.id)?.kind !== 'superseded') return [];
  const isReplaced = evidence.commands.some(
    ({ run, ...other }) => (run ?? start.run) === start.run && isLater({ run, ...other }, start, evidence),
  );
  return isReplaced ? [] : [`I4: ${start.id} is superseded by nothing`];
}

/** No outcome of a start is untrue, and nothing begins after one that denies it. */
function judgeStart({ id }: CampaignRunCommand, stints: readonly Stint[], evidence: Evidence): string[] {
  const outcome = evidence.outcomes.get(id);
  const begun = stints.find(({ by }) => by === id);
  if (outcome === undefined) return [];
  const { kind, reason, row } = outcome;
  if (kind === 'applied') {
    const isKnown = begun !== undefined || endOf(row.campaignRunId, evidence) !== undefined;
    return isKnown ? [] : [`I4: ${id} is applied, and no run began`];
  }
  const isOpen = reason === 'START_OUTCOME_UNKNOWN' || begun === undefined;
  return isOpen || evidence.liedAbout.has(begun.campaignRunId) ? [] : judgeDenied(begun, outcome, evidence);
}

function judgeDenied({ by, fromMs }: Stint, outcome: SeenOutcome, { kind: gateway }: Evidence): string[] {
  const { kind, reason = '', atMs, row } = outcome;
  if (fromMs > atMs) return [`I3: ${by} began after its outcome ${kind} ${reason}`];
  if (row.mayHaveRun === undefined) return [`I4: ${by} began, and its outcome is ${kind} ${reason}`];
  // By the gateway's clock.
  const from = Date.parse(row.mayHaveRun.from) - minuteMs - (gateway.aheadMs ?? 0);
  return fromMs >= from ? [] : [`I4: ${by} ran before ${row.mayHaveRun.from}, which its outcome says`];
}

/** When a run ended, or was cancelled before it began. */
function endOf(campaignRunId: string | undefined, { effects }: Pick<Evidence, 'effects'>): number | undefined {
  return effects.find((one) => one.kind === 'ends' && one.campaignRunId === campaignRunId)?.atMs;
}

function judgePlannedEnds(stints: readonly Stint[], evidence: Evidence): string[] {
  return stints.flatMap((stint) => {
    const entry = evidence.entries.get(stint.by);
    if (entry === undefined || !entry.plansStop || isExcused(stint, evidence)) return [];
    if (stint.endMs <= evidence.latestEndMs(Date.parse(entry.endsAt))) return [];
    return [`I8: the run of ${stint.by} went on past its planned stop at ${entry.endsAt}`];
  });
}

/** A stop ends no run of a later start, and that of one start no other run. */
function judgeEnded(stop: CampaignRunCommand, stints: readonly Stint[], evidence: Evidence): string[] {
  return stints.flatMap((stint) => {
    const start = evidence.commands.find(({ id }) => id === stint.by);
    if (start === undefined || !hasEnded(stop, stint, evidence)) return [];
    if (stop.startId !== undefined) {
      return stop.startId === stint.by ? [] : [`I6: ${stop.id}, of ${stop.startId}, ended the run of ${stint.by}`];
    }
    const isOfLater = isAbout(stop, start, stint) && isLater(start, stop, evidence);
    return isOfLater ? [`I5: ${stop.id} ended the run of the later ${stint.by}`] : [];
  });
}

/** Once a stop has its outcome, no run of an earlier start goes on, and none begins. */
function judgeStop(stop: CampaignRunCommand, stints: readonly Stint[], evidence: Evidence): string[] {
  const outcome = evidence.outcomes.get(stop.id);
  if (outcome === undefined) return [];
  return stints.flatMap((stint) => {
    const start = evidence.commands.find(({ id }) => id === stint.by);
    if (start === undefined || !isAbout(stop, start, stint) || isLater(start, stop, evidence)) return [];
    if (stint.endMs <= outcome.atMs || isAllowed(stop, outcome, stint, evidence)) return [];
    const what = stint.fromMs > outcome.atMs ? 'began after' : 'went on after';
    return [
      `I5: the run of ${stint.by} ${what} ${stop.id} ended ${[outcome.kind, outcome.reason].filter(Boolean).join(' ')}`,
    ];
  });
}

/** A run that a stop says it has stopped has ended, and does not begin any more. */
function judgeStopped({ id }: CampaignRunCommand, stints: readonly Stint[], { outcomes, effects }: Evidence): string[] {
  const { kind, atMs = 0, row } = outcomes.get(id) ?? {};
  const stopped = Object.entries((kind === 'applied' && row?.stops) || {}).filter(([, { how }]) => how === 'stopped');
  return stopped.flatMap(([run]) => {
    const endMs = endOf(run, { effects }) ?? Infinity;
    if (endMs > atMs) return [`I4: ${id} says that ${run} is stopped, the gateway never saw it`];
    const isAgain = stints.some(({ campaignRunId, fromMs }) => campaignRunId === run && fromMs > endMs);
    return isAgain ? [`I8: ${run} began after ${id} had stopped it`] : [];
  });
}

function isAbout(stop: CampaignRunCommand, start: CampaignRunCommand, { campaignRunId, by }: Stint): boolean {
  if (stop.startId !== undefined) return stop.startId === by;
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
