import type { Ledger } from '#shared/ledger/ledger.ts';
import type { RunEndsRow } from '#shared/ledger/results/run-ends-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { versionOutput } from '#shared/vocabulary/stack-outputs.ts';
import type { CommandRow, RecordedVerdict } from '#shared/ledger/rows/command-row.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type GuardName, guardNames } from '#shared/vocabulary/reason-codes.ts';
import { type HistoryEntry, toHistoryEntry } from '../history/history-entry.ts';
import { runIdOf } from '../history/history.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type ConfigHistory, readConfigHistory } from './config-history.ts';
import { effectOf, findStart, type FoundStart, type StartEffect } from './find-start.ts';
import { type RunReport, stageClock } from '../run-state/run-report.ts';
import { readRunRows } from '../run-state/run-rows.ts';
import { scoreBefore } from '../scores/run-scores.ts';
import type { ZonedClock } from '../times/typed-times.ts';
import { readRunCourse, type RunCourse } from './run-course.ts';

/** Everything that is known about one start of a campaign run. */
export interface Evidence {
  readonly stage: string;
  readonly writtenAt: string;
  /** By which version of the command, on a stage of which version, if it says it. */
  readonly versions: { readonly command: string; readonly stage?: string | undefined };
  /** That of the times in its sentences. */
  readonly timezone: string;
  readonly run?: string;
  readonly campaignRunId?: string;
  /** By its configured name. */
  readonly campaign?: string;
  readonly start: StartEvidence;
  /** What became of it; absent if it was not sent. */
  readonly course?: SentCourse;
}

/** The start itself. */
export interface StartEvidence {
  readonly command: Omit<HistoryEntry, 'outcome'> & { readonly outcome: HistoryEntry['outcome'] | 'under way' };
  readonly effect: StartEffect;
  /** When the run begins by what was sent. */
  readonly effectAt?: string;
  readonly stopDueAt?: string;
  readonly override?: NonNullable<CampaignRunCommand['override']>;
  /** Its first request; absent if none left, or if the row of its run no longer holds this start. */
  readonly sent?: { readonly at: string };
  /** Absent if no guard was asked, or none of what they said is kept. */
  readonly verdicts?: readonly RecordedVerdict[];
  /** Guards that come after the one that refused, and were not asked. */
  readonly notJudged?: readonly GuardName[];
}

/** The course of a start that was sent. `scores`: what the change that asked for it did to the score; only if runs are read. */
export type SentCourse = Omit<RunCourse, 'begun'> & { readonly scores?: ScoreChange } & (Ran | NotBegun);

/** The score of the complete run before a start, and that of its own run. */
export interface ScoreChange {
  readonly before?: number;
  readonly after?: number;
}

/** What a run ran against. */
export interface Ran {
  readonly begun: 'yes';
  readonly project: ConfigHistory;
  readonly campaign: ConfigHistory;
  /** Whether what the run tested and tested with was the same from its start to its end. */
  readonly comparable: 'yes' | 'no' | 'unknown';
}

/** A run that the gateway was to start later: it was ended before (`no`), or its time has not come (`not-yet`). It ran against nothing. */
interface NotBegun {
  readonly begun: 'no' | 'not-yet';
  readonly project?: undefined;
  readonly campaign?: undefined;
  readonly comparable: 'not-applicable';
}

/**
 * Gathers it: from the ledger, and, through the worker that knows configuration and token, from the
 * gateway.
 */
export async function readEvidence(word: string, deps: OperatorDeps): Promise<Evidence> {
  const clock = await stageClock(deps);
  const found = await findStart(word, await deps.stage.ledger());
  const { command, run } = found;
  const campaignRunId = runIdOf(command);
  const campaign = command.facts?.campaign;
  const start = startEvidence(found);
  return {
    stage: deps.target.stage,
    writtenAt: clock.now.toISOString(),
    timezone: clock.zone,
    versions: { command: productVersion, stage: (await deps.stage.outputs())[versionOutput] },
    run,
    campaignRunId,
    campaign,
    start,
    ...(start.effect === 'none' ? {} : { course: await sentCourse(found, clock, deps) }),
  };
}

function startEvidence({ command, run, entry: inFlight }: FoundStart): StartEvidence {
  const entry = toHistoryEntry(command, run);
  const isUnderWay = command.outcome === undefined && command.deferred === undefined;
  const { effectAt, stopDueAt } = timesOf(command, inFlight);
  const { override } = command.command;
  const { verdicts } = command;
  return {
    command: isUnderWay ? { ...entry, outcome: 'under way' } : entry,
    effect: effectOf(command, inFlight),
    effectAt,
    stopDueAt,
    override,
    sent: inFlight && { at: inFlight.sentAt },
    verdicts,
    notJudged: notJudged(verdicts),
  };
}

function notJudged(verdicts: readonly RecordedVerdict[] = []): readonly GuardName[] | undefined {
  const left = guardNames.filter((name) => !verdicts.some(({ guard }) => guard === name));
  return verdicts.length === 0 || left.length === 0 ? undefined : left;
}

/** As the command's row says it once it was sent; a start that may have run has its interval at least. */
function timesOf(
  { facts, mayHaveRun, startAt }: CommandRow,
  entry: InFlight | undefined,
): { readonly effectAt?: string | undefined; readonly stopDueAt?: string | undefined } {
  const { due, plansStop = false, endsAt }: Partial<InFlight> = facts ?? entry ?? {};
  return { effectAt: startAt ?? due ?? mayHaveRun?.from, stopDueAt: plansStop ? endsAt : undefined };
}

async function sentCourse(found: FoundStart, clock: ZonedClock, deps: OperatorDeps): Promise<SentCourse> {
  const ledger = await deps.stage.ledger();
  const [rows] = await readRunRows([found.command], ledger);
  if (rows === undefined) throw new Error('the rows of one start are one');
  const { begun, ...told } = await readRunCourse(rows, clock, ledger);
  const course = { ...told, scores: await scoreChange(found, told.stands, ledger) };
  const { startAt, endedAt } = course.stands;
  if (begun === 'no') return notBegun(course, clock.now);
  const now = clock.now.toISOString();
  const window = { from: startAt, until: endedAt ?? now };
  const campaignRunId = runIdOf(found.command) ?? '';
  const run = found.run === undefined ? { campaignRunId } : { run: found.run };
  // One after the other: each question is a request, and the gateway has its pace.
  deps.progress('asking the gateway for the project and the campaign as they were…');
  const project = await readConfigHistory({ of: 'project', run, ...window }, deps);
  const campaign = await readConfigHistory({ of: 'campaign', run, ...window }, deps);
  const comparable = comparableBy(course.stands.state, areComparable([project, campaign]));
  return { ...course, begun: 'yes', project, campaign, comparable };
}

async function scoreChange(
  { command, run }: FoundStart,
  { startAt, score: after }: RunReport,
  ledger: Pick<Ledger, 'read'>,
): Promise<ScoreChange | undefined> {
  if (command.command.origin.kind !== 'change' || run === undefined) return undefined;
  const ends = await ledger.read<RunEndsRow>(ledgerKeys.runEnds(run));
  return ends && { before: scoreBefore(ends, startAt), after };
}

/** A gateway may count a start when it gets the request: a sign that was seen stays one. */
function notBegun(course: Omit<RunCourse, 'begun'>, now: Date): SentCourse {
  const comparable = 'not-applicable';
  const isAhead = course.stands.endedAt === undefined && Date.parse(course.stands.startAt) > now.getTime();
  if (isAhead) return { ...course, begun: 'not-yet', comparable };
  const { confirmation } = course;
  const isSeen = confirmation.state === 'confirmed';
  return {
    ...course,
    ...(isSeen ? {} : { confirmation: { ...confirmation, state: 'not-applicable' } }),
    begun: 'no',
    comparable,
  };
}

/** Only complete runs compare. Of one that goes on, or that ended unseen, it is not known whether it is complete. */
function comparableBy(state: RunReport['state'], drift: Ran['comparable']): Ran['comparable'] {
  if (state === 'failed' || drift === 'no') return 'no';
  return state === 'complete' ? drift : 'unknown';
}

function areComparable(histories: readonly ConfigHistory[]): Ran['comparable'] {
  const drifts = new Set(histories.map((history) => (history.kind === 'known' ? history.drift.kind : 'unknown')));
  if (drifts.has('changed')) return 'no';
  return drifts.has('unknown') ? 'unknown' : 'yes';
}
