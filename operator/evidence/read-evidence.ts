import { productVersion } from '#shared/vocabulary/product-version.ts';
import { versionOutput } from '#shared/vocabulary/stack-outputs.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { RunEndsRow } from '#shared/ledger/results/run-ends-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RecordedVerdict } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type GuardName, guardNames } from '#shared/vocabulary/reason-codes.ts';
import { type HistoryEntry, toHistoryEntry } from '../history/history-entry.ts';
import { readHistory } from '../history/history.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type ConfigHistory, readConfigHistory } from './config-history.ts';
import { findStart } from './find-start.ts';
import { type RunReport, runReport, stageClock } from '../run-state/run-report.ts';
import type { RunRows } from '../run-state/run-rows.ts';
import { type RunState, runState } from '../run-state/run-state.ts';
import { scoreBefore } from '../scores/run-scores.ts';
import { runStory, type StepOfRun } from '../run-state/run-story.ts';

/** Everything that is known about one start of a campaign run. */
export interface Evidence extends Pick<RunState, 'begun'> {
  readonly stage: string;
  readonly writtenAt: string;
  /** By which version of the command, on a stage of which version, if it says it. */
  readonly versions: { readonly command: string; readonly stage?: string | undefined };
  /** That of the times in its sentences. */
  readonly timezone: string;
  /** How its run stands, or ended. */
  readonly run: RunReport;
  /** By its configured name. */
  readonly campaign?: string | undefined;
  readonly start: StartEvidence;
  /** What happened, and what is to come, the earliest first. */
  readonly steps: readonly StepOfRun[];
  /** Other commands about the run between its start and its end, oldest first. */
  readonly between: readonly HistoryEntry[];
  /** What it ran against; absent if it has not begun. */
  readonly course?: Course;
  /** Of a start that a change asked for, if runs are read. */
  readonly scores?: ScoreChange | undefined;
}

/** The score of the complete run before a start, and that of its own run. */
export interface ScoreChange {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
}

/** The start itself. */
export interface StartEvidence {
  readonly command: Omit<HistoryEntry, 'outcome' | 'run'> & { readonly outcome: HistoryEntry['outcome'] | 'under way' };
  readonly override?: NonNullable<CampaignRunCommand['override']> | undefined;
  /** Absent if no guard was asked, or none of what they said is kept. */
  readonly verdicts?: readonly RecordedVerdict[] | undefined;
  /** Guards that come after the one that refused, and were not asked. */
  readonly notJudged?: readonly GuardName[] | undefined;
}

/** What a run ran against. */
export interface Course {
  readonly project: ConfigHistory;
  readonly campaign: ConfigHistory;
  /** Whether what the run tested and tested with was the same from its start to its end, and it was complete. */
  readonly comparable: 'yes' | 'no' | 'unknown';
}

/**
 * Gathers it: from the ledger, and, through the worker that knows configuration and token, from the
 * gateway.
 */
export async function readEvidence(word: string, deps: OperatorDeps): Promise<Evidence> {
  const ledger = await deps.stage.ledger();
  const [clock, rows, outputs] = await Promise.all([stageClock(deps), findStart(word, deps), deps.stage.outputs()]);
  const run = runReport(rows, clock);
  const { begun } = runState(rows, clock);
  const mayHaveRun = begun !== 'no' && Date.parse(run.startAt) <= clock.now.getTime();
  return {
    stage: deps.target.stage,
    writtenAt: clock.now.toISOString(),
    timezone: clock.zone,
    versions: { command: productVersion, stage: outputs[versionOutput] },
    run,
    begun,
    campaign: rows.start.facts?.campaign,
    start: startEvidence(rows),
    steps: runStory(rows, clock),
    between: await commandsBetween(rows, run, ledger),
    scores: await scoreChange(rows, run, ledger),
    ...(mayHaveRun ? { course: await readCourse(run, clock.now, deps) } : {}),
  };
}

function startEvidence({ start }: RunRows): StartEvidence {
  const { outcome, deferred, verdicts } = start;
  const command = toHistoryEntry(start);
  const isUnderWay = outcome === undefined && deferred === undefined;
  return {
    command: isUnderWay ? { ...command, outcome: 'under way' } : command,
    override: start.command.override,
    verdicts,
    notJudged: notJudged(verdicts),
  };
}

function notJudged(verdicts: readonly RecordedVerdict[] = []): readonly GuardName[] | undefined {
  const left = guardNames.filter((name) => !verdicts.some(({ guard }) => guard === name));
  return verdicts.length === 0 || left.length === 0 ? undefined : left;
}

async function commandsBetween(
  { start, end }: RunRows,
  { campaignRunId, endedAt }: RunReport,
  ledger: Ledger,
): Promise<readonly HistoryEntry[]> {
  if (campaignRunId === undefined) return [];
  const found: HistoryEntry[] = [];
  const since = new Date(start.command.issuedAt);
  for await (const { row, run } of readHistory(ledger, { run: { campaignRunId }, since })) {
    const entry = toHistoryEntry(row, run);
    const isEarlier = endedAt === undefined || entry.at <= endedAt;
    if (row.id !== start.id && row.id !== end?.by && isEarlier) found.unshift(entry);
  }
  return found;
}

async function scoreChange(
  { start }: RunRows,
  { run, startAt, score: after }: RunReport,
  ledger: Pick<Ledger, 'read'>,
): Promise<ScoreChange | undefined> {
  if (start.command.origin.kind !== 'change') return undefined;
  const ends = await ledger.read<RunEndsRow>(ledgerKeys.runEnds(run));
  return ends && { before: scoreBefore(ends, startAt), after };
}

/** One after the other: each question is a request, and the gateway has its pace. */
async function readCourse({ run: name, ...about }: RunReport, now: Date, deps: OperatorDeps): Promise<Course> {
  const { startAt: from, endedAt: until = now.toISOString(), campaignRunId = '', state } = about;
  const run = name === '' ? { campaignRunId } : { run: name };
  deps.progress('asking the gateway for the project and the campaign as they were…');
  const project = await readConfigHistory({ of: 'project', run, from, until }, deps);
  const campaign = await readConfigHistory({ of: 'campaign', run, from, until }, deps);
  return { project, campaign, comparable: comparableBy(state, areComparable([project, campaign])) };
}

/** Only complete runs compare. Of one that goes on, or that ended unseen, it is not known whether it is complete. */
function comparableBy(state: RunReport['state'], drift: Course['comparable']): Course['comparable'] {
  if (state === 'failed' || drift === 'no') return 'no';
  return state === 'complete' ? drift : 'unknown';
}

function areComparable(histories: readonly ConfigHistory[]): Course['comparable'] {
  const drifts = new Set(histories.map((history) => (history.kind === 'known' ? history.drift.kind : 'unknown')));
  if (drifts.has('changed')) return 'no';
  return drifts.has('unknown') ? 'unknown' : 'yes';
}
