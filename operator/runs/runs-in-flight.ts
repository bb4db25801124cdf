import type { Ledger } from '#shared/ledger/ledger.ts';
import { readRunsInFlight, type RunInFlight } from '#shared/ledger/open-rows.ts';
import { isObserved } from '#shared/ledger/rows/row-keys.ts';
import { afterLease, type RunRow, type SentStart, stateOf } from '#shared/ledger/rows/run-row.ts';
import { OperatorError } from '../errors.ts';
import { type WaitLimit, waitForCommand } from '../outcomes/outcome-report.ts';
import { roughly } from '../readable.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { readStageMode } from '../stage/stage-config.ts';
import { sendOperatorCommand, type SentCommand } from './fire-schedule.ts';
import type { RunSubject } from './run-ids.ts';

/** How a run in flight stands, in one word for `--json`. */
export interface Standing {
  /**
   * `starting`: the request of its start leaves now. `in doubt`: a request of its start or of its stop left, and no answer came. `stopping`: a stop
   * is accepted and not applied yet. `stop due`: its planned stop is due, and none is accepted yet.
   */
  readonly state: 'starting' | 'started' | 'in doubt' | 'stopping' | 'stop due';
  /** Since when it may be running, or may be stopped. */
  readonly inDoubtSince?: string;
  /** Which request has no answer. */
  readonly inDoubtOf?: 'start' | 'stop';
}

/** Every run that the guards count as in flight, the oldest first, without those of a stage that only observes: these run nowhere. */
export async function listRunsInFlight(ledger: Pick<Ledger, 'listOpen'>, now: Date): Promise<readonly RunInFlight[]> {
  const runs = await readRunsInFlight(ledger, now);
  return runs.filter(({ row }) => !isObserved(row));
}

/** `nightly (019b…)`, or the uuid alone. */
export function runTitle({ run, campaignRunId }: Pick<RunRow, 'run' | 'campaignRunId'>): string {
  return run === undefined ? campaignRunId : `${run} (${campaignRunId})`;
}

/** How a run stands at an instant; a lease that ended without an answer counts as a request without one. Pure. */
export function standingOf({ row, start }: RunInFlight, now: Date): Standing {
  const state = afterLease(stateOf(row), now);
  switch (state.state) {
    case 'idle':
    case 'running':
      return { state: isStopDue(start, now) ? 'stop due' : 'started' };
    case 'starting':
      return state.before.state === 'start-unknown' ? doubtOfStart(start) : { state: 'starting' };
    case 'start-unknown':
      return doubtOfStart(start);
    case 'stopping':
      return state.before.state === 'start-unknown'
        ? { ...doubtOfStart(start), state: 'stopping' }
        : { state: 'stopping' };
    case 'stop-unknown':
      return { state: 'in doubt', inDoubtSince: state.stop.issuedAt, inDoubtOf: 'stop' };
  }
}

function doubtOfStart({ firstSentAt }: SentStart): Standing {
  return { state: 'in doubt', inDoubtSince: firstSentAt, inDoubtOf: 'start' };
}

function isStopDue({ plannedStop }: SentStart, now: Date): boolean {
  return plannedStop !== undefined && Date.parse(plannedStop.at) <= now.getTime();
}

/**
 * When the stop of a run in flight is due, or for how long it has been overdue.
 * @param at - writes the instant
 */
export function stopWords(dueAt: string | undefined, now: Date, at = (instant: string) => instant): string {
  if (dueAt === undefined) return 'no stop is planned';
  const overdueMs = now.getTime() - Date.parse(dueAt);
  return overdueMs < 0
    ? `its stop is due ${at(dueAt)}`
    : `its stop was due ${at(dueAt)} and is overdue for ${roughly(overdueMs)}`;
}

/** A run in flight as `--json` prints it. */
export function reportedRun(run: RunInFlight, now: Date): object {
  const { row, start } = run;
  return {
    run: row.run,
    campaignRunId: row.campaignRunId,
    since: start.effectAt,
    stopDueAt: start.plannedStop?.at,
    ...standingOf(run, now),
  };
}

/** Sends a stop for each run, one after the other, before any is waited for; a Ctrl-C ends it after the one in hand. */
export async function sendStops(
  runs: readonly RunInFlight[],
  reason: string,
  deps: OperatorDeps,
): Promise<readonly SentCommand[]> {
  const interruption = deps.interruption();
  const sent: SentCommand[] = [];
  for (const { row } of runs) {
    if (interruption.aborted) break;
    const { campaignRunId } = row;
    const how = { verb: 'stop', subject: campaignRunId, patience: undefined };
    sent.push(await sendOperatorCommand({ action: 'stop', campaignRunId, reason }, how, deps));
  }
  return sent;
}

/** Waits with one patience for all of them: an outcome that is there already takes no time. */
export async function waitForStops(
  sent: readonly SentCommand[],
  patience: WaitLimit,
  deps: OperatorDeps,
): Promise<readonly SentCommand[]> {
  const startedMs = deps.elapsedMs();
  const ended: SentCommand[] = [];
  for (const one of sent) {
    const left = patience && { timeoutMs: Math.max(0, patience.timeoutMs - (deps.elapsedMs() - startedMs)) };
    ended.push({ ...one, ...(await waitForCommand(one.command.id, left, deps)) });
  }
  return ended;
}

/** What helps against a run that goes on while the stage observes. */
export const stopElsewhere =
  "stop it at the gateway; or deploy mode: 'act': a stop that is overdue is sent within a minute, and any other can be asked for again";

/**
 * Refuses a stop that would end nothing, before it is sent.
 * @throws OperatorError STAGE_OBSERVES if the stage only observes and goes on with a run of that
 *   name or uuid. It started that run for real
 */
export async function refuseUnsentStop(subject: RunSubject, deps: OperatorDeps): Promise<void> {
  const [{ mode }, now, ledger] = await Promise.all([readStageMode(deps), deps.now(), deps.stage.ledger()]);
  if (mode !== 'observe') return;
  const runs = await listRunsInFlight(ledger, now);
  const meant = runs.filter((run) => isAbout(run, subject));
  if (meant.length === 0) return;
  const goOn = meant.map(({ row, start }) => `${runTitle(row)} (${stopWords(start.plannedStop?.at, now)})`).join(', ');
  throw new OperatorError(
    `NOT STOPPED: the stage only observes, so no stop is sent, and what was started for real goes on: ${goOn}; ${stopElsewhere}`,
    { code: 'STAGE_OBSERVES' },
  );
}

function isAbout({ row }: RunInFlight, { run, campaignRunId }: RunSubject): boolean {
  return campaignRunId === undefined ? row.run === run : row.campaignRunId === campaignRunId;
}
