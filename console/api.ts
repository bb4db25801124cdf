/**
 * Every answer of the console's server, as JSON. The page imports the types alone; the server sends what a schema names and nothing beside it. Each
 * answer of a stage has `asOf`. Field by field they are what the CLI prints with `--json`.
 */
import * as z from 'zod';
import { parkedEntry } from './api-work.ts';
import { previewed } from '#shared/messages/questions.ts';
import {
  endedByCommand,
  endedByItselfAnswer,
  finding,
  historyEntry,
  inFlight,
  pendingWork,
  problem,
  runEvidence,
  schedule,
  silentSchedule,
  switchReport,
} from './facts.ts';

/** One stage, as its line in the table of stages says it. What could not be read is absent, and `problem` says why. */
const stageRow = z.object({
  /** Its name in every path and in `stage=` of the stream: the deployed name, with region or folder if two are alike. */
  name: z.string(),
  stage: z.string(),
  kind: z.enum(['local', 'aws']),
  region: z.string().optional(),
  account: z.string().optional(),
  version: z.string().optional(),
  mode: z.enum(['act', 'observe']).optional(),
  frozen: z.boolean().optional(),
  gate: z.enum(['open', 'paused', 'closed']).optional(),
  inFlight: z.number().optional(),
  /** Runs in flight whose planned stop is due. */
  overdue: z.number().optional(),
  /** Runs in flight of which a request has no answer. */
  inDoubt: z.number().optional(),
  parked: z.number().optional(),
  deadLetters: z.number().optional(),
  /** Configured runs with few ids left, and campaigns with few starts left this month. Absent if that is not known. */
  idsLow: z.number().optional(),
  /** The stage's time and zone, by which its instants are written: the clock of a local run can be moved. */
  now: z.string().optional(),
  timezone: z.string().optional(),
  /** When a start is next due. */
  nextStart: z.string().optional(),
  /** What a person should do first, with the command. Absent if nothing needs a person. */
  worst: finding.optional(),
  problem: problem.optional(),
  asOf: z.string(),
});

/** `POST /api/session`, with the header `x-console-token`. */
export const sessionAnswer = z.object({
  session: z.string(),
  /**
   * Names for the paths, in the order of the command line. Each has the words that lead a command
   * of the CLI to the same stage.
   */
  stages: z.array(z.object({ name: z.string(), words: z.array(z.string()).readonly() })),
  /** What this console may change: empty without `--allow`. */
  allow: z.array(z.enum(['upload', 'resolve', 'switch'])),
  /** The operator's name, as the ledger will have it. */
  operator: z.string(),
});

/** `GET /api/stages`. */
export const stagesAnswer = z.object({ stages: z.array(stageRow) });

/** The answer to everything that failed: with a status of 4xx or 5xx. */
export const problemAnswer = z.object({ problem });

/** The unused ids of a run, and the last start of its schedules that finds one. */
const idsLeft = z.object({
  run: z.string(),
  left: z.number(),
  isLow: z.boolean(),
  lastsUntil: z.string().optional(),
});

/** The starts of this month of each campaign that has a budget. */
const budgets = z
  .array(z.object({ campaign: z.string(), month: z.string(), used: z.number(), startsPerMonth: z.number() }))
  .readonly();

/** `GET /api/stages/STAGE/now`, and the event `now` of the stream: `status --json`. */
export const nowAnswer = z.object({
  stage: z.string(),
  /** The stage's time: that of a local run can be moved. */
  now: z.string(),
  /** When the ledger was read, by the clock of this machine, as is every `asOf`. */
  asOf: z.string(),
  /** The zone of the stage; absent if it cannot be asked. */
  timezone: z.string().optional(),
  version: z.string().optional(),
  mode: z.enum(['act', 'observe']),
  clock: z.object({ offsetMs: z.number() }).optional(),
  switches: z.array(switchReport).readonly(),
  gate: z.object({
    state: z.enum(['open', 'paused', 'closed']),
    since: z.string().optional(),
    reason: z.string().optional(),
    until: z.string().optional(),
    failedProbes: z.number().optional(),
  }),
  queues: z
    .array(
      z.object({
        name: z.string(),
        isDeadLetter: z.boolean(),
        waiting: z.number(),
        inFlight: z.number(),
        delayed: z.number(),
      }),
    )
    .readonly(),
  schedules: z.array(schedule).readonly(),
  /** Schedules that start nothing, and why; absent if there are none. */
  silent: z.array(silentSchedule).readonly().optional(),
  ids: z.array(idsLeft).readonly().optional(),
  budgets: budgets.optional(),
  parked: z.array(parkedEntry).readonly(),
  inFlight: z.array(inFlight).readonly(),
  pending: z.array(pendingWork).readonly(),
  /** What you must do or should know, the most pressing first; and how the stage stands, in one sentence. */
  needs: z.array(finding).readonly(),
  headline: z.object({ says: z.string(), until: z.string().optional(), tone: z.enum(['good', 'warn', 'bad']) }),
  recent: z
    .array(
      z.object({
        at: z.string(),
        kind: z.string(),
        /** Which worker ended it. */
        worker: z.string(),
        subject: z.string(),
        reason: z.string().optional(),
        detail: z.string().optional(),
      }),
    )
    .readonly(),
  /** What is used up; absent if the stage cannot be asked. */
  supplies: z
    .object({
      bindings: z.array(idsLeft).readonly(),
      budgets,
    })
    .optional(),
  /** Parts that could not be read, each with its reason: a missing permission, expired credentials. */
  problems: z.array(problem).readonly(),
});

const plannedCommand = previewed.extend({
  /** Of an applied start: how its run ends, if the plan knows it. */
  endsAt: z.string().optional(),
  endsBy: z
    .discriminatedUnion('kind', [z.object({ kind: z.literal('planned-stop') }), endedByCommand, endedByItselfAnswer])
    .optional(),
  timezone: z.string(),
});

/** `GET /api/stages/STAGE/calendar?from=…&until=…`: what was and what will be, on one axis. */
export const calendarAnswer = z.object({
  now: z.string(),
  asOf: z.string(),
  timezone: z.string(),
  past: z.array(historyEntry).readonly(),
  /** Nothing is shown of the past before this instant: there is more than one answer holds. */
  pastCutAt: z.string().optional(),
  planned: z.array(plannedCommand).readonly(),
  /** Nothing is known of what comes after this instant: there are more occurrences than one question takes. */
  cutAt: z.string().optional(),
  blackouts: z
    .array(
      z.object({
        name: z.string(),
        starts: z.enum(['skip', 'defer']),
        campaigns: z.array(z.string()).readonly().optional(),
        from: z.string(),
        until: z.string(),
      }),
    )
    .readonly(),
  /** Freezes and pauses. */
  bands: z
    .array(
      z.object({
        scope: z.enum(['stage', 'campaign', 'schedule']),
        name: z.string(),
        by: z.string(),
        reason: z.string(),
        from: z.string(),
        /** When it ends, or would have ended, by itself. */
        until: z.string().optional(),
        /** When it was over; absent while it lasts. */
        to: z.string().optional(),
        lifted: z.object({ by: z.string(), reason: z.string() }).optional(),
      }),
    )
    .readonly(),
  clockChanges: z
    .array(
      z.object({
        schedule: z.string(),
        kind: z.enum(['skipped', 'repeated']),
        local: z.string(),
        timezone: z.string(),
      }),
    )
    .readonly(),
  unread: z.array(z.object({ campaign: z.string(), why: z.string() })).readonly(),
  /** Parts that are missing, and why: without `lambda:InvokeFunction` there is no plan. */
  problems: z.array(problem).readonly(),
});

/** `GET /api/stages/STAGE/history?before=…&search=…&limit=…`: `history --json`. */
export const historyAnswer = z.object({
  asOf: z.string(),
  history: z.array(historyEntry).readonly(),
  isMore: z.boolean(),
  /** For `before=` of the next page; there if there is more, also after a search that found nothing so far. */
  nextBefore: z.string().optional(),
});

/** `GET /api/stages/STAGE/runs/COMMAND_ID`: `evidence --json`, and the document in two forms to hand on. */
export const runAnswer = z.object({ asOf: z.string(), evidence: runEvidence, markdown: z.string(), html: z.string() });

/** `GET /api/stages/STAGE/doctor`. */
export const doctorAnswer = z.object({
  stage: z.string(),
  now: z.string(),
  asOf: z.string(),
  examined: z
    .array(
      z.object({
        title: z.string(),
        findings: z.array(finding).readonly(),
      }),
    )
    .readonly(),
});

/** `GET /api/stages/STAGE/settings`: the deployed configuration, and what it does. */
export const settingsAnswer = z.object({
  asOf: z.string(),
  timezone: z.string().optional(),
  /** The configuration that the stage is judged by. No secret is in it. */
  config: z.record(z.string(), z.unknown()),
  /** Every deployed schedule with its next time; absent if they could not be read. */
  schedules: z.array(schedule).readonly().optional(),
  /** Parts that could not be read, and why. */
  problems: z.array(problem).readonly(),
  /** In words, a line for each run, blackout and rule, with its settings by their paths. */
  table: z
    .array(
      z.object({
        part: z.string(),
        name: z.string(),
        does: z.string(),
        settings: z
          .array(z.object({ name: z.string(), value: z.string() }))
          .readonly()
          .optional(),
      }),
    )
    .readonly(),
});

/** Answers as types: what the page reads. */
export type StageRow = z.infer<typeof stageRow>;
export type SessionAnswer = z.infer<typeof sessionAnswer>;
export type StagesAnswer = z.infer<typeof stagesAnswer>;
export type ProblemAnswer = z.infer<typeof problemAnswer>;
export type NowAnswer = z.infer<typeof nowAnswer>;
export type CalendarAnswer = z.infer<typeof calendarAnswer>;
export type HistoryAnswer = z.infer<typeof historyAnswer>;
export type RunAnswer = z.infer<typeof runAnswer>;
export type DoctorAnswer = z.infer<typeof doctorAnswer>;
export type SettingsAnswer = z.infer<typeof settingsAnswer>;
