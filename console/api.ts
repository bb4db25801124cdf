/**
 * Every answer of the console's server, as types: what the functions of `operator/` give is what the CLI prints with `--json`, and what leaves.
 * A test lists each field that leaves (`test/integration/console/what-leaves.test.ts`). Each answer of a stage has `asOf`.
 */
import type { RunScores } from '#operator/scores/run-scores.ts';
import type { Examined } from '#operator/doctor/examine-stage.ts';
import type { Finding } from '#operator/finding.ts';
import type { Evidence } from '#operator/evidence/read-evidence.ts';
import type { HistoryEntry } from '#operator/history/history-entry.ts';
import type { PlannedBlackout } from '#operator/plan/schedule-occurrences.ts';
import type { StagePlan } from '#operator/plan/stage-plan.ts';
import type { ScheduleStatus } from '#operator/status/schedule-status.ts';
import type { StageStatus } from '#operator/status/status.ts';
import type { SwitchBand } from '#operator/switches/switches.ts';

/** Why something could not be read or done, in one sentence, with a stable code. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** What is missing because of it: `plan`, `mode`. */
  readonly part?: string | undefined;
  /** The words of the command that helps, if there is one. */
  readonly command?: readonly string[] | undefined;
}

/** Something that was read at a time, by the clock of the console's machine. */
interface Dated {
  readonly asOf: string;
}

/** One stage, as its line in the table of stages says it. What could not be read is absent, and `problem` says why. */
export interface StageRow {
  /** Its name in every path and in `stage=` of the stream: the deployed name, with region or folder if two are alike. */
  readonly name: string;
  readonly stage: string;
  readonly kind: 'local' | 'aws';
  readonly region?: string | undefined;
  readonly account?: string | undefined;
  readonly version?: string | undefined;
  readonly mode?: 'act' | 'observe';
  readonly frozen?: boolean;
  readonly gate?: 'open' | 'paused' | 'closed';
  readonly inFlight?: number;
  readonly parked?: number;
  readonly nextStart?: string | undefined;
  /** What needs attention first. Absent if nothing does. */
  readonly worst?: Finding | undefined;
  /** How many things need attention; what only follows from another is not counted. */
  readonly needs?: number;
  readonly problem?: Problem;
}

/** What a person may let the console change. `upload` alone takes no file that starts a run. */
export const writeKinds = ['upload', 'upload-and-start', 'resolve', 'switch', 'stop'] as const;

export type WriteKind = (typeof writeKinds)[number];

/** `POST /api/session`, with the header `x-console-token`. */
export interface SessionAnswer {
  readonly session: string;
  /** Names for the paths, in the order of the command line. Each has the words that lead a command of the CLI to it. */
  readonly stages: readonly { readonly name: string; readonly words: readonly string[] }[];
  /** Absolute: the folder from which npx takes the command, and the one in which the console works. */
  readonly project: string;
  readonly folder: string;
  /** What this console may change: empty without `--allow`. */
  readonly allow: readonly WriteKind[];
  /** The operator's name, as the history will have it. */
  readonly operator: string;
}

/** `GET /api/stages`. */
export interface StagesAnswer {
  readonly stages: readonly StageRow[];
}

/** The answer to everything that failed: with a status of 4xx or 5xx. */
export interface ProblemAnswer {
  readonly problem: Problem;
}

/** `GET /api/stages/STAGE/now`, and the event `now` of the stream: `status --json`. */
export interface NowAnswer extends StageStatus, Dated {
  /** The zone of the stage; absent if it cannot be asked. */
  readonly timezone?: string | undefined;
  /** Configured campaigns, by their names. */
  readonly campaigns?: readonly string[] | undefined;
  /** Parts that could not be read, each with its reason: a missing permission, expired credentials. */
  readonly problems: readonly Problem[];
}

/** `GET /api/stages/STAGE/scores`: what the last runs of each name found. */
export interface ScoresAnswer extends Dated {
  readonly runs: readonly RunScores[];
}

/** `GET /api/stages/STAGE/calendar?from=…&until=…`: what was and what will be, on one axis. */
export interface CalendarAnswer extends Dated, Pick<StagePlan, 'cutAt' | 'clockChanges' | 'unread'> {
  readonly now: string;
  readonly timezone: string;
  readonly past: readonly HistoryEntry[];
  /** Nothing is shown of the past before this time: there is more than one answer holds. */
  readonly pastCutAt?: string | undefined;
  readonly planned: StagePlan['commands'];
  readonly blackouts: readonly PlannedBlackout[];
  /** Freezes and pauses. */
  readonly bands: readonly SwitchBand[];
  /** Parts that are missing, and why: without `lambda:InvokeFunction` there is no plan. */
  readonly problems: readonly Problem[];
}

/** `GET /api/stages/STAGE/history?before=…&search=…&run=…&person=…&state=…&of=commands&limit=…`: `history --json`. */
export interface HistoryAnswer extends Dated {
  readonly history: readonly HistoryEntry[];
  /** For `before=` of the next page; there if there is more, also after a search that found nothing so far. */
  readonly nextBefore?: string | undefined;
}

/** `GET /api/stages/STAGE/runs/COMMAND_ID`: `evidence --json`, and the document in two forms to hand on. */
export interface RunAnswer extends Dated {
  readonly evidence: Evidence;
  readonly markdown: string;
  readonly html: string;
}

/** `GET /api/stages/STAGE/doctor`. */
export interface DoctorAnswer extends Dated {
  readonly examined: readonly Examined[];
}

/** `GET /api/stages/STAGE/settings`: the deployed configuration, and what it does. */
export interface SettingsAnswer extends Dated {
  readonly timezone?: string | undefined;
  /** The configuration that the stage is judged by. No secret is in it. */
  readonly config: object;
  /** Every deployed schedule with its next time; absent if they could not be read. */
  readonly schedules?: readonly ScheduleStatus[] | undefined;
  /** Parts that could not be read, and why. */
  readonly problems: readonly Problem[];
  /** In words: what each run, blackout and rule does. */
  readonly table: readonly { readonly part: string; readonly name: string; readonly does: string }[];
}
