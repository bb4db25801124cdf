/**
 * Judges a history from outside: by the effects that the gateway counted and the outcomes that were
 * recorded. It shares no code with the worker, its order of commands included, and knows nothing of
 * its states; each rule is a promise of docs/reference/reliability.md.
 */
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { CountingGateway, Effect, Stint } from './counting-gateway.ts';
import { keyOf } from './counting-gateway.ts';
import type { SeenOutcome } from './light-ledger.ts';

/** A message that a history sent, and how it came. */
export interface Arrival {
  readonly command: CampaignRunCommand;
  readonly atMs: number;
  readonly skewMs: number;
}

/** All that the oracle sees. */
export interface Evidence {
  readonly arrivals: readonly Arrival[];
  readonly gateway: Pick<CountingGateway, 'effects' | 'stints' | 'refusals' | 'running'>;
  readonly outcomes: ReadonlyMap<string, SeenOutcome>;
  /** How long each start runs, by its command's id; absent: nothing stops it. */
  readonly stopAfterMs: (startId: string) => number | undefined;
  /** The configured name of a run id. */
  readonly nameOf: (campaignRunId: string) => string | undefined;
  /** Repeats that people ordered, by command. */
  readonly repeats?: ReadonlyMap<string, number>;
  /** Commands whose messages a person purged from the queue. */
  readonly purged?: ReadonlySet<string>;
  readonly endMs: number;
  /**
   * Longest outage of gateway, watcher or worker in this history: what is late by it is no fault.
   */
  readonly outageMs?: number;
  /** When a deployment changed the target of the campaigns. */
  readonly targetChangedMs?: number;
  /** `gateway.startsRepeatSafely`: a start without an answer is sent again. */
  readonly repeatsStarts?: boolean;
}

const minuteMs = 60_000;
/** Clocks (5 minutes), a late landing and its second stop (7), a tick, a queue. */
const slackMs = 16 * minuteMs;

/** The rows that a decision read may be as old as an attempt is. */
const attemptMs = 30_000;
/** A start with a delay has its place before it begins. */
const longestDelayMs = 11 * minuteMs;
const plannedBy = /^stop-due:/;

/** Later by I5: issued later, then the greater id. */
function isLater(one: CampaignRunCommand, other: CampaignRunCommand): boolean {
  const laterMs = Date.parse(one.issuedAt) - Date.parse(other.issuedAt);
  return laterMs === 0 ? one.id > other.id : laterMs > 0;
}

/** Each promise that the history broke, in one sentence each. */
export function judge(evidence: Evidence): readonly string[] {
  return [
    ...judgeOutcomes(evidence),
    ...judgeStarts(evidence),
    ...judgePlannedStops(evidence),
    ...judgeRunsEnd(evidence),
    ...judgeStops(evidence),
    ...judgeRefusals(evidence),
  ];
}

/** Every message has an outcome. */
function judgeOutcomes({ arrivals, outcomes, purged }: Evidence): string[] {
  return arrivals
    .filter(({ command: { id } }) => !outcomes.has(id) && purged?.has(id) !== true)
    .map(({ command }) => `I1: ${command.id} has no outcome`);
}

const saysUnknown = ({ reason, row }: SeenOutcome) =>
  reason === 'START_OUTCOME_UNKNOWN' || row.mayHaveRun !== undefined;

/** No start twice, none hidden, none invented. */
function judgeStarts(evidence: Evidence): string[] {
  const { arrivals, gateway, outcomes, repeats } = evidence;
  return starts(arrivals).flatMap(({ command }) => {
    const { id } = command;
    const outcome = outcomes.get(id);
    const begins = gateway.effects.filter(({ kind, by }) => kind === 'start' && by === id);
    const isCounted = (begun: Effect) => evidence.repeatsStarts !== true || !landedBehindStop(begun, evidence);
    const doubled = doubledIn(begins.filter(isCounted), id, repeats?.get(id) ?? 0);
    if (outcome === undefined) return doubled;
    const hasBegun = begins.length > 0 || mayMistake(id, evidence);
    return [...doubled, ...untrueOf(id, outcome, hasBegun), ...judgeRefused(command, outcome, evidence)];
  });
}

/**
 * A run of the old target begins or ends once the target has changed, and moves the campaign. No
 * start of the new target sees it. This limit is known: docs/guards.md, and ADR 64.
 */
function mayMistake(id: string, { gateway, outcomes, targetChangedMs = Infinity }: Evidence): boolean {
  const hasMoved = ({ by, atMs }: Effect) => by !== id && atMs >= targetChangedMs;
  return outcomes.get(id)?.kind === 'applied' && gateway.effects.some(hasMoved);
}

/** The repeat was sent before the stop, and took effect after it. That stop is sent once more (docs/reference/configuration.md). */
function landedBehindStop({ atMs, campaignRunId }: Effect, { gateway }: Evidence): boolean {
  const isOfRun = (effect: Effect) => effect.campaignRunId === campaignRunId && effect.kind === 'stop';
  const stops = gateway.effects.filter(isOfRun).map((stop) => stop.atMs - atMs);
  return stops.some((ms) => ms < 0 && ms > -slackMs) && stops.some((ms) => ms > 0 && ms < slackMs);
}

/** Each repeat that a person ordered may take effect once, as the start itself. */
function doubledIn(begins: readonly Effect[], id: string, ordered: number): string[] {
  return Array.from({ length: ordered + 1 }, (_, approvals) => keyOf(id, approvals))
    .map((key) => begins.filter((begun) => begun.key === key).length)
    .filter((count) => count > 1)
    .map((count) => `I2: ${id} took effect ${count} times`);
}

function untrueOf(id: string, outcome: SeenOutcome, hasBegun: boolean): string[] {
  const isApplied = outcome.kind === 'applied';
  if (hasBegun && !isApplied && !saysUnknown(outcome)) {
    return [`I4: ${id} began, and its outcome is ${outcome.kind} ${outcome.reason ?? ''}`];
  }
  return !hasBegun && isApplied ? [`${id} is applied and never began`] : [];
}

function isRefusedStart({ id, action }: CampaignRunCommand, { outcomes }: Evidence): boolean {
  const outcome = outcomes.get(id);
  // Of several deferred starts the latest is sent: it has replaced the others before the gateway
  // sees it.
  if (outcome?.row.deferred !== undefined) return false;
  return action === 'start' && outcome?.kind === 'parked' && outcome.reason === 'VALIDATION' && !saysUnknown(outcome);
}

/** A person's repeat counts as issued at that instant, which only the worker knows. */
function isRepeated({ repeats }: Evidence): boolean {
  return (repeats?.size ?? 0) > 0;
}

/** A start that did nothing has a cause in the world. */
function judgeRefused(command: CampaignRunCommand, outcome: SeenOutcome, evidence: Evidence): string[] {
  const { arrivals, gateway } = evidence;
  const isOther = (one: { readonly by: string }) => one.by !== command.id;
  if (outcome.kind === 'superseded') {
    // A start that the gateway refused replaces nothing; a stop that it sent before, to make room,
    // does.
    const sent = [...evidence.outcomes.values()].map(({ row }) => row.command);
    const later = [...arrivals.map((one) => one.command), ...sent].some(
      (one) => isLater(one, command) && one.plannedBy === undefined && !isRefusedStart(one, evidence),
    );
    return later || isRepeated(evidence) ? [] : [`I6: ${command.id} is superseded, and no later command exists`];
  }
  if (outcome.kind === 'skipped' && outcome.reason === 'OVERLAP') {
    const sinceMs = outcome.atMs - slackMs;
    const inTheWay = gateway.stints.some(
      (stint) => isOther(stint) && stint.fromMs <= outcome.atMs + longestDelayMs && (stint.endMs ?? Infinity) > sinceMs,
    );
    // A start that came before and had no outcome as the rows were read, or never a certain one, may
    // be running.
    const inDoubt = starts(arrivals).some(({ command: { id }, atMs }) => {
      const other = evidence.outcomes.get(id);
      return (
        id !== command.id &&
        atMs <= outcome.atMs &&
        (other === undefined || other.atMs >= outcome.atMs - attemptMs || saysUnknown(other))
      );
    });
    // A run whose stop is parked counts as in flight until a person has looked.
    const isAnyStopParked = [...evidence.outcomes.values()].some(
      (one) => one.kind === 'parked' && one.row.command.action === 'stop',
    );
    return inTheWay || inDoubt || isAnyStopParked || isRepeated(evidence)
      ? []
      : [`${command.id} is skipped OVERLAP, and no other run was running`];
  }
  return [];
}

/** A planned stop ends the run of its own start only. */
function judgePlannedStops(evidence: Evidence): string[] {
  const { gateway, outcomes } = evidence;
  return gateway.stints.flatMap((stint) => {
    const { endedBy, by, endMs = Infinity } = stint;
    if (endedBy === undefined || !plannedBy.test(endedBy.by) || isPastLongestRun(stint, endMs, evidence)) return [];
    const owner = outcomes.get(endedBy.by)?.row.command.plannedBy?.startId;
    // A start that plans no stop takes over that of the run that it is sent over.
    const isTakenOver = owner !== undefined && evidence.stopAfterMs(owner) === undefined;
    return owner === undefined || owner === by || isTakenOver || isReplacedInDoubt(stint, evidence)
      ? []
      : [`I6: the planned stop of ${owner} ended the run of ${by}`];
  });
}

/** No run goes on past its planned stop, unless that stop is parked. */
function judgeRunsEnd(evidence: Evidence): string[] {
  const { gateway, stopAfterMs, endMs, outageMs = 0 } = evidence;
  return gateway.stints.flatMap((stint) => {
    const afterMs = stopAfterMs(stint.by);
    if (afterMs === undefined) return [];
    const shouldEndMs = stint.fromMs + afterMs + slackMs + outageMs + repeatedMs(stint, evidence);
    const endedMs = stint.endMs ?? Infinity;
    if (endedMs <= shouldEndMs || endMs <= shouldEndMs) return [];
    if (isStopParked(stint, evidence) || isReplacedInDoubt(stint, evidence)) return [];
    const ended =
      stint.endMs === undefined ? 'it runs on' : `ended ${Math.round((endedMs - shouldEndMs) / minuteMs)} minutes late`;
    return [`I8: the run of ${stint.by} was not stopped in time: ${ended}`];
  });
}

/**
 * A repeat that a person ordered plans another stop, from its own begin. The run of the first
 * request goes on until that stop.
 */
function repeatedMs({ by }: Stint, { repeats }: Evidence): number {
  return (repeats?.get(by) ?? 0) * (slackMs + longestDelayMs);
}

function isStopParked({ by }: Stint, { outcomes }: Evidence): boolean {
  return [...outcomes.values()].some(({ kind, row }) => kind === 'parked' && row.command.plannedBy?.startId === by);
}

/**
 * An operator had a start sent over this run, and nothing can tell which of them goes on: a person
 * is told of both.
 */
function isReplacedInDoubt({ by }: Pick<Stint, 'by'>, { arrivals, outcomes }: Evidence): boolean {
  return arrivals.some(({ command: { id, override } }) => {
    const outcome = outcomes.get(id);
    return id !== by && override !== undefined && outcome !== undefined && saysUnknown(outcome);
  });
}

/** Of the runs that plan no stop, in every configuration of the search. */
const longestRunMs = 60 * minuteMs;

/**
 * A run that plans no stop is closed at its longest run: from then on its id is free, and no stop
 * names it.
 */
function isPastLongestRun({ by, fromMs }: Stint, atMs: number, { stopAfterMs }: Evidence): boolean {
  return stopAfterMs(by) === undefined && atMs >= fromMs + longestRunMs;
}

/** An applied stop holds: no run of an earlier start goes on, and none begins. */
function judgeStops(evidence: Evidence): string[] {
  if (isRepeated(evidence)) return [];
  const { arrivals, outcomes, gateway } = evidence;
  return arrivals.flatMap((stop) => {
    const { command } = stop;
    const outcome = outcomes.get(command.id);
    if (command.action !== 'stop' || command.plannedBy !== undefined) return [];
    if (outcome === undefined || isParkedStopLater(command, evidence)) return [];
    return gateway.stints
      .filter(({ campaignRunId }) => concerns(command, campaignRunId, evidence))
      .flatMap((stint) => judgeStopped(stop, outcome, stint, evidence));
  });
}

function concerns(stop: CampaignRunCommand, campaignRunId: string, { nameOf }: Evidence): boolean {
  return stop.campaignRunId === campaignRunId || (stop.run !== undefined && stop.run === nameOf(campaignRunId));
}

/** What a stop left undone of one run that it is about. */
function judgeStopped(stop: Arrival, outcome: SeenOutcome, stint: Stint, evidence: Evidence): string[] {
  const { arrivals, outageMs = 0 } = evidence;
  const { id } = stop.command;
  const start = arrivals.find(({ command }) => command.id === stint.by);
  if (start === undefined || isLater(start.command, stop.command)) return [];
  if (isPastLongestRun(stint, outcome.atMs, evidence)) return [];
  const endedMs = stint.endMs ?? Infinity;
  const isApplied = outcome.kind === 'applied';
  const hasBegun = stint.fromMs <= outcome.atMs;
  const knownMs = Math.max(stop.atMs, start.atMs, stint.fromMs);
  const isLate = endedMs > knownMs + slackMs + outageMs;
  const promises: readonly (readonly [isBroken: boolean, sentence: string])[] = [
    [isApplied && !hasBegun, `I5: ${stint.by} began after the later ${id} was applied`],
    [isApplied && hasBegun && endedMs > outcome.atMs, `${id} is applied, and ${stint.by} ran on`],
    [
      isLate && outcome.kind !== 'parked' && !isReplacedInDoubt(stint, evidence),
      `I5: ${id} came, and the earlier ${stint.by} ran on`,
    ],
  ];
  return promises.filter(([isBroken]) => isBroken).map(([, sentence]) => sentence);
}

/** A later stop was refused: it stays the latest command, and its person decides about the run. */
function isParkedStopLater(stop: CampaignRunCommand, { outcomes }: Evidence): boolean {
  return [...outcomes.values()].some(
    ({ kind, row: { command } }) =>
      kind === 'parked' && command.action === 'stop' && command.plannedBy === undefined && isLater(command, stop),
  );
}

/**
 * A stop is parked only for refusals of its own; a day's patience is used up by nothing in these
 * histories.
 */
function judgeRefusals(evidence: Evidence): string[] {
  if (evidence.arrivals.length === 0) return [];
  return [...evidence.outcomes]
    .filter(([, { kind }]) => kind === 'parked')
    .flatMap(([id, outcome]) => judgeParked(id, outcome, evidence));
}

/** Reasons of a parked stop that no refusal of the gateway has to explain. */
const needNoRefusal: ReadonlySet<string | undefined> = new Set(['CRASH_LOOP', 'CONFIG']);

function judgeParked(id: string, { reason, row }: SeenOutcome, evidence: Evidence): string[] {
  const late = reason === 'HORIZON_EXCEEDED' ? [`${id} was not done within a day`] : [];
  if (isRefused(evidence.gateway.refusals.get(id) ?? [])) return late;
  if (row.command.action !== 'stop') {
    return reason === 'VALIDATION' ? [...late, `I9: ${id} is parked ${reason} unrefused`] : late;
  }
  if (needNoRefusal.has(reason) || isRepeated(evidence)) return late;
  return [...late, `I9: ${id} is parked ${reason}, and was never refused`];
}

/** Refused for good: by a status that no wait heals, or by the third 403. */
function isRefused(statuses: readonly number[]): boolean {
  return (
    statuses.some((status) => ![403, 429, 500].includes(status)) ||
    statuses.filter((status) => status === 403).length >= 3
  );
}

function starts(arrivals: readonly Arrival[]): readonly Arrival[] {
  const seen = new Set<string>();
  return arrivals.filter(({ command }) => {
    const isNew = command.action === 'start' && !seen.has(command.id);
    seen.add(command.id);
    return isNew;
  });
}

/** For reports: what happened, in order. */
export function told(effects: readonly Effect[], outcomes: ReadonlyMap<string, SeenOutcome>, startMs: number): string {
  const at = (ms: number) => `${((ms - startMs) / 1000).toFixed(1)}s`;
  const lines = [
    ...effects.map(({ atMs, kind, by, campaignRunId }) => ({
      atMs,
      text: `${kind} of ${campaignRunId.slice(-2)} by ${by}`,
    })),
    ...[...outcomes].map(([id, { atMs, kind, reason, detail }]) => ({
      atMs,
      text: `${id}: ${kind} ${reason ?? ''} ${detail ?? ''}`,
    })),
  ];
  return lines
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, text }) => `${at(atMs)} ${text}`)
    .join('\n');
}
