import { readRunsInFlight, type RunInFlight } from '#shared/ledger/open-rows.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { modeOf } from '#shared/vocabulary/stack-outputs.ts';
import { OperatorError } from '../errors.ts';
import { type WaitLimit, waitForCommand } from '../outcomes/outcome-report.ts';
import { roughly } from '../readable.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { sendOperatorCommand, type SentCommand } from './fire-schedule.ts';
import type { RunSubject } from './run-ids.ts';

/** How a run in flight stands, in one word for `--json`. */
export interface Standing {
  /**
   * `starting`: the request of its start leaves now. `no answer yet`: a request of its start left, and no answer came. `stopping`: a stop is under way.
   * `stop due`: its planned stop is due, and none is under way yet.
   */
  readonly state: 'starting' | 'started' | 'no answer yet' | 'stopping' | 'stop due';
  /** Since when it may be running. */
  readonly inDoubtSince?: string;
}

/** `nightly (019b…)`. */
export function runTitle({ run, campaignRunId }: Pick<InFlight, 'run' | 'campaignRunId'>): string {
  return `${run} (${campaignRunId})`;
}

/** An attempt and its request end within this: after it, a request without an answer has none. */
const longestAttemptMs = 60_000;

/** How a run stands at an instant. Pure. */
export function standingOf({ state, unanswered, sentAt, plansStop, endsAt }: InFlight, now: Date): Standing {
  const isUnanswered = unanswered > 0 && now.getTime() - Date.parse(sentAt) > longestAttemptMs;
  const doubt = isUnanswered ? { inDoubtSince: sentAt } : {};
  if (state === 'stopping') return { state, ...doubt };
  if (isUnanswered) return { state: 'no answer yet', ...doubt };
  if (state === 'starting') return { state };
  return { state: plansStop && Date.parse(endsAt) <= now.getTime() ? 'stop due' : 'started' };
}

/** When the planned stop of a run is due; `undefined` if none is planned. */
export function stopDueAt({ plansStop, endsAt }: Pick<InFlight, 'plansStop' | 'endsAt'>): string | undefined {
  return plansStop ? endsAt : undefined;
}

/** When the stop of a run in flight is due, or for how long it has been overdue. */
export function stopWords(dueAt: string | undefined, now: Date, at = (instant: string) => instant): string {
  if (dueAt === undefined) return 'no stop is planned';
  const overdueMs = now.getTime() - Date.parse(dueAt);
  return overdueMs < 0
    ? `stops at ${at(dueAt)}`
    : `its stop was due ${at(dueAt)} and is overdue for ${roughly(overdueMs)}`;
}

/** A run in flight as `--json` prints it. */
export function reportedRun({ entry }: RunInFlight, now: Date): object {
  const { run, campaignRunId, due } = entry;
  return { run, campaignRunId, since: due, stopDueAt: stopDueAt(entry), ...standingOf(entry, now) };
}

/** Sends a stop for each run, one after the other, before any is waited for; a Ctrl-C ends it after the one in hand. */
export async function sendStops(
  runs: readonly RunInFlight[],
  reason: string,
  deps: OperatorDeps,
): Promise<readonly SentCommand[]> {
  const interruption = deps.interruption();
  const sent: SentCommand[] = [];
  for (const { entry } of runs) {
    if (interruption.aborted) break;
    const { campaignRunId } = entry;
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
  "Stop it at the gateway, or deploy mode: 'act'. An overdue stop is then sent within a minute. Any other can be requested again.";

/**
 * Refuses a stop that would end nothing, before it is sent.
 * @throws OperatorError STAGE_OBSERVES if the stage only observes and goes on with a run of that
 *   name or uuid. It started that run for real
 */
export async function refuseUnsentStop(subject: RunSubject, deps: OperatorDeps): Promise<void> {
  if (modeOf(await deps.stage.outputs()) === 'act') return;
  const [now, runs] = await Promise.all([deps.now(), deps.stage.acting().then(readRunsInFlight)]);
  const meant = runs.filter((run) => isAbout(run, subject));
  if (meant.length === 0) return;
  const goOn = meant.map(({ entry }) => `${runTitle(entry)} (${stopWords(stopDueAt(entry), now)})`).join(', ');
  throw new OperatorError(
    `NOT STOPPED: the stage only observes, so no stop is sent. What was started for real goes on: ${goOn}. ${stopElsewhere}`,
    { code: 'STAGE_OBSERVES' },
  );
}

function isAbout({ entry }: RunInFlight, { run, campaignRunId }: RunSubject): boolean {
  return campaignRunId === undefined ? entry.run === run : entry.campaignRunId === campaignRunId;
}
