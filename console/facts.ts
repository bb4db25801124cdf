/** Parts of answers that occur in several of them: a problem, a command of the history, the evidence of a start. */
import * as z from 'zod';

/** Why something could not be read or done, in one sentence, with a stable code and the command that helps, if there is one. */
export const problem = z.object({
  code: z.string(),
  message: z.string(),
  /** What is missing because of it: `plan`, `mode`. */
  part: z.string().optional(),
  command: z.string().optional(),
});

/** What one guard said about a start. */
const verdict = z.object({
  guard: z.string(),
  verdict: z.enum(['apply', 'skip', 'defer', 'overridden']),
  detail: z.string().optional(),
});

/** A person's decision about a parked row. */
export const resolution = z.object({
  decision: z.enum(['applied', 'repeat', 'dismiss']),
  by: z.string(),
  reason: z.string(),
  at: z.string(),
  datasetId: z.string().optional(),
  /** Of a repeat of a command: the id of the new command. */
  as: z.string().optional(),
});

/** Work that was tried and has no outcome yet. */
export const pendingWork = z.object({
  id: z.string(),
  action: z.enum(['start', 'stop']).optional(),
  versionId: z.string().optional(),
  run: z.string().optional(),
  campaignRunId: z.string().optional(),
  since: z.string(),
  tries: z.number(),
  waitsFor: z.string().optional(),
  lastError: z.string().optional(),
  nextTryAt: z.string().optional(),
  refusals: z.object({ status: z.number().optional(), count: z.number(), since: z.string().optional() }).optional(),
  isObserved: z.literal(true).optional(),
});

const outcome = z.enum(['applied', 'superseded', 'skipped', 'ignored', 'parked', 'deferred']);

/** How a blackout put a start off. */
const deferral = z.object({ from: z.string().optional(), until: z.string(), blackout: z.string() });

/** A freeze or a pause that is on. */
export const switchReport = z.object({
  scope: z.enum(['stage', 'campaign', 'schedule']),
  name: z.string(),
  by: z.string(),
  reason: z.string(),
  at: z.string(),
  until: z.string().optional(),
});

/** Work that has begun and not ended. */
export const inFlight = z.object({
  kind: z.string(),
  subject: z.string(),
  since: z.string(),
  state: z.enum(['starting', 'started', 'in doubt', 'stopping', 'stop due']).optional(),
  inDoubtSince: z.string().optional(),
  stopDueAt: z.string().optional(),
  /** Of a run: the stop that comes first, and what sends it. */
  endsAt: z.string().optional(),
  endsBy: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('planned-stop') }),
      z.object({ kind: z.literal('schedule'), name: z.string() }),
    ])
    .optional(),
  campaignRunId: z.string().optional(),
  isObserved: z.literal(true).optional(),
  /** Of a run, and of a start that a blackout deferred. */
  run: z.string().optional(),
  /** Of a run. */
  startCommandId: z.string().optional(),
  inFlightUntil: z.string().optional(),
  confirm: z.enum(['awaited', 'confirmed', 'missing']).optional(),
  /** The last run of its campaign, if it is none of ours. */
  lastRunElsewhere: z.string().optional(),
  isOverdue: z.boolean().optional(),
  /** Of a command. */
  commandId: z.string().optional(),
  /** Of a start that a blackout deferred. */
  askedAt: z.string().optional(),
  deferred: deferral.optional(),
});

/** A schedule that starts nothing: occurrences in a row without a start, the first of them, why, and what to do. */
export const silentSchedule = z.object({
  name: z.string(),
  missed: z.number(),
  since: z.string(),
  lastStartAt: z.string().optional(),
  reason: z.string(),
  meaning: z.string(),
  next: z.string(),
});

/** A deployed schedule: what it asks for, and when it fires next. One without an action wakes a worker of the stage. */
export const schedule = z.object({
  name: z.string(),
  expression: z.string(),
  timezone: z.string(),
  isEnabled: z.boolean(),
  action: z.enum(['start', 'stop']).optional(),
  run: z.string().optional(),
  next: z.string().optional(),
});

/** The stop that ended a run. */
export const endedByCommand = z.object({
  kind: z.literal('stop'),
  commandId: z.string(),
  askedBy: z.object({ kind: z.string(), name: z.string() }),
  /** The stop found it over: it ended by itself, or by an earlier stop. */
  foundEnded: z.literal(true).optional(),
});

/** Nothing stops the run. */
export const endedByItselfAnswer = z.object({ kind: z.literal('itself') });

/** One command with what became of it. */
export const historyEntry = z.object({
  at: z.string(),
  id: z.string(),
  action: z.enum(['start', 'stop']),
  run: z.string().optional(),
  campaignRunId: z.string().optional(),
  campaign: z.string().optional(),
  /** Of an applied start: when its run begins, when its stop is due, and when and by what it ended. */
  effectAt: z.string().optional(),
  stopDueAt: z.string().optional(),
  endedAt: z.string().optional(),
  endedBy: z.discriminatedUnion('kind', [endedByCommand, endedByItselfAnswer]).optional(),
  /** Of an applied start: the request that began its run. */
  request: z.object({ id: z.string(), tries: z.number(), lastError: z.string().optional() }).optional(),
  /** How a blackout put this start off, also if it has its outcome since. */
  deferred: deferral.optional(),
  outcome,
  reason: z.string().optional(),
  detail: z.string().optional(),
  askedBy: z.object({ kind: z.string(), name: z.string() }),
  sentBy: z.object({ id: z.string(), isProven: z.literal(true).optional() }).optional(),
  askedAt: z.string(),
  askedBecause: z.string().optional(),
  refusals: z.array(verdict).readonly(),
  mayHaveRun: z.object({ from: z.string(), until: z.string() }).optional(),
  lateMs: z.number().optional(),
  isObserved: z.boolean(),
  parkedId: z.string().optional(),
  resolutions: z.array(resolution).readonly().optional(),
});

const config = z.object({
  lists: z.record(
    z.string(),
    z.array(z.object({ id: z.string(), fields: z.record(z.string(), z.string()) })).readonly(),
  ),
  fields: z.record(z.string(), z.string()),
});

const change = z.object({
  kind: z.enum(['changed', 'added', 'removed']),
  field: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
});

const drift = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none'), until: z.string() }),
  z.object({
    kind: z.literal('changed'),
    until: z.string(),
    changes: z.array(change).readonly(),
    difference: z.array(z.string()).readonly(),
  }),
  z.object({ kind: z.literal('unknown'), until: z.string(), why: z.string() }),
]);

const configHistory = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('unknown'), why: z.string() }),
  z.object({
    kind: z.literal('known'),
    id: z.string(),
    name: z.string().optional(),
    at: z.string(),
    config,
    drift,
  }),
]);

const runEnd = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('stopped'),
    at: z.string(),
    commandId: z.string(),
    command: historyEntry,
    lateMs: z.number().optional(),
    foundEnded: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('in-flight'), countsUntil: z.string(), overdueMs: z.number().optional() }),
  z.object({ kind: z.literal('no-stop'), countedUntil: z.string().optional() }),
]);

const course = z.object({
  end: runEnd,
  confirmation: z.object({
    state: z.enum(['confirmed', 'missing', 'awaited', 'not-applicable', 'none']),
    by: z.enum(['lastRun', 'lastRunAt', 'run']).optional(),
    at: z.string().optional(),
    missingSince: z.string().optional(),
  }),
  between: z.array(historyEntry).readonly(),
  begun: z.enum(['yes', 'no', 'not-yet']),
  project: configHistory.optional(),
  campaign: configHistory.optional(),
  comparable: z.enum(['yes', 'no', 'unknown', 'not-applicable']),
});

/** Everything that is known about one start of a campaign run. */
export const runEvidence = z.object({
  stage: z.string(),
  writtenAt: z.string(),
  versions: z.object({ command: z.string(), stage: z.string().optional() }),
  run: z.string().optional(),
  campaignRunId: z.string().optional(),
  campaign: z.string().optional(),
  start: z.object({
    command: historyEntry.extend({ outcome: z.union([outcome, z.literal('under way')]) }),
    effect: z.enum(['made', 'unknown', 'none']),
    effectAt: z.string().optional(),
    stopDueAt: z.string().optional(),
    override: z.object({ guards: z.array(z.string()).readonly(), reason: z.string() }).optional(),
    sent: z.object({ at: z.string() }).optional(),
    verdicts: z.array(verdict).readonly().optional(),
    notJudged: z.array(z.string()).readonly().optional(),
  }),
  course: course.optional(),
});
