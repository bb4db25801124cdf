/** Answers about files and about parked rows, and the bodies of the requests that decide about them. See `api.ts`. */
import * as z from 'zod';
import { pendingWork, resolution } from './facts.ts';

const checked = z.object({
  rows: z.number(),
  blocking: z.number(),
  repeated: z.number(),
  contradictory: z.object({ prompts: z.number(), rows: z.tuple([z.number(), z.number()]).readonly() }).optional(),
});

const fileProblem = z.object({
  /** As a spreadsheet counts: the header is row 1. */
  row: z.number().optional(),
  line: z.number().optional(),
  column: z.enum(['prompt', 'label']).optional(),
  says: z.string(),
});

/** What became of one version of an object. */
export const shownVersion = z.object({
  versionId: z.string(),
  uploadedAt: z.string().optional(),
  size: z.number().optional(),
  eventTime: z.string().optional(),
  attempts: z.number().optional(),
  notBefore: z.string().optional(),
  problemsByRow: z.array(fileProblem).readonly().optional(),
  state: z.enum(['applied', 'superseded', 'skipped', 'ignored', 'parked', 'under way', 'not seen yet']),
  reason: z.string().optional(),
  detail: z.string().optional(),
  pending: pendingWork.optional(),
  at: z.string().optional(),
  datasetId: z.string().optional(),
  datasetName: z.string().optional(),
  rule: z.string().optional(),
  checked: checked.optional(),
  resolutions: z.array(resolution).readonly().optional(),
  isObserved: z.boolean(),
  parkedId: z.string().optional(),
});

/** `GET /api/stages/STAGE/uploads?before=…`: the newest first. */
export const uploadsAnswer = z.object({
  asOf: z.string(),
  uploads: z.array(shownVersion.extend({ key: z.string() })).readonly(),
  /** For `before=` of the next page; absent at the end. */
  nextBefore: z.string().optional(),
  /** There are more versions than one question lists: newer ones than these may be among those behind. */
  isPartial: z.literal(true).optional(),
});

/** `GET /api/stages/STAGE/uploads/KEY`: `show KEY --json`. */
export const uploadAnswer = z.object({
  asOf: z.string(),
  key: z.string(),
  versions: z.array(shownVersion).readonly(),
});

/** `POST /api/stages/STAGE/check?key=…&encoding=…&prompt-column=…` with the bytes of a file: `check --json`, for one file. */
export const checkAnswer = z.object({
  file: z.string(),
  /** `ready`: the gateway reads it as it is. `convertible`: as `upload --convert` writes it. */
  verdict: z.enum(['ready', 'convertible', 'problems']),
  changes: z.array(z.string()).readonly(),
  rows: z.number(),
  blocking: z.number(),
  /** What a person may want to correct; nothing is refused for it. */
  warnings: z.array(z.string()).readonly(),
  /** The first prompt beyond ASCII as it was read, if the file is to be converted. */
  sample: z.string().optional(),
  /** Options of the mapping that are left to fill in. */
  missing: z.array(z.string()).readonly().optional(),
  /** In sentences, each of which names its row. */
  problems: z.array(z.string()).readonly(),
  /** The same as data. */
  problemsByRow: z.array(fileProblem).readonly(),
  /** Problems beyond those. */
  more: z.number(),
  /** The rule of the stage that the key meets; absent if there is none, or the stage cannot be asked. */
  rule: z.object({ prefix: z.string(), check: z.string(), fileId: z.string().optional() }).optional(),
  /** Why the rule is not known. */
  ruleUnknownBecause: z.string().optional(),
});

/** A row that waits for a person. */
export const parkedEntry = z.object({
  id: z.string(),
  kind: z.enum(['command', 'upload', 'message']),
  isObserved: z.literal(true).optional(),
  subject: z.string(),
  /** Of a command. */
  action: z.enum(['start', 'stop']).optional(),
  run: z.string().optional(),
  reason: z.string(),
  detail: z.string().optional(),
  since: z.string(),
  nextStep: z.string().optional(),
  lookFor: z.string().optional(),
  resolutions: z.array(resolution).readonly().optional(),
  /** A newer version of the same key, if it was looked for. */
  newer: z.object({ at: z.string(), ended: z.string(), takesItsPlace: z.boolean() }).optional(),
});

const decision = z.enum(['repeat', 'dismiss', 'applied']);

/** `GET /api/stages/STAGE/parked`: `parked list --json`, with the page of the runbook for each group. */
export const parkedAnswer = z.object({
  asOf: z.string(),
  groups: z
    .array(
      z.object({
        reason: z.string(),
        count: z.number(),
        oldest: z.string(),
        newest: z.string(),
        nextStep: z.string().optional(),
        runbook: z.string().optional(),
        /** What may be decided about such a row. */
        decisions: z.array(decision).readonly(),
        /** A repeat may have its effect a second time. */
        mayDouble: z.boolean(),
        /** The section of docs/runbook.md, as Markdown; absent if it cannot be read. */
        page: z.string().optional(),
      }),
    )
    .readonly(),
  parked: z.array(parkedEntry).readonly(),
});

/** `GET /api/stages/STAGE/parked/ID`: `parked show --json`. */
export const parkedRowAnswer = parkedEntry.extend({
  asOf: z.string(),
  isParked: z.boolean(),
  decisions: z.array(decision).readonly(),
  mayDouble: z.boolean(),
  advice: z.array(z.object({ when: z.string(), command: z.string() })).readonly(),
  /** What is known and what is not, as `parked show` prints it: a label and a text. */
  facts: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  /** The message that is kept, as it came. */
  message: z.string().optional(),
});

/** Body of `POST /api/stages/STAGE/parked/dry-run`: rows by their ids, or all of one reason. */
export const dryRunBody = z.strictObject({
  rows: z.union([
    z.strictObject({ ids: z.array(z.string()).min(1).max(200) }),
    z.strictObject({ reason: z.string(), before: z.iso.datetime({ offset: true }).optional() }),
  ]),
  decision,
  /** With `applied`: the dataset at the gateway. */
  datasetId: z.string().optional(),
  acceptsSecondEffect: z.boolean().optional(),
});

const plannedRow = parkedEntry.extend({
  /** The key of the row and its version: `resolve` takes both back, and is refused if the row has changed since. */
  row: z.string(),
  version: z.number(),
});

/** Its answer: what the decision would do, and which rows it would leave. */
export const dryRunAnswer = z.object({
  asOf: z.string(),
  decision,
  todo: z.array(plannedRow).readonly(),
  left: z.array(parkedEntry.extend({ problem: z.string() })).readonly(),
  /** Rows of that reason that one dry run does not look at. */
  more: z.number(),
  /** The command of the CLI for the same. */
  command: z.string(),
});

/** Body of `POST /api/stages/STAGE/parked/resolve`, with `--allow resolve`: exactly the rows of a dry run. */
export const resolveBody = z.strictObject({
  rows: z
    .array(z.strictObject({ row: z.string(), version: z.number() }))
    .min(1)
    .max(200),
  decision,
  datasetId: z.string().optional(),
  acceptsSecondEffect: z.boolean().optional(),
  because: z.string(),
  /** The name of a deployed stage, typed by the person; needed once in a session. */
  typed: z.string().optional(),
});

/** Its answer. A row that changed since the dry run is refused with 409 before any is written. */
export const resolveAnswer = z.object({
  asOf: z.string(),
  resolved: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum(['command', 'upload', 'message']),
        subject: z.string(),
        decision,
        problem: z.string().optional(),
        isSent: z.boolean(),
      }),
    )
    .readonly(),
});

/** `POST /api/stages/STAGE/uploads?key=…&typed=…` with the bytes of a file, with `--allow upload`. */
export const sentUploadAnswer = z.object({ asOf: z.string(), key: z.string(), versionId: z.string().optional() });

/** Body of `POST /api/stages/STAGE/switches`, with `--allow switch`. */
export const switchBody = z.strictObject({
  action: z.enum(['freeze', 'thaw', 'pause', 'resume']),
  /** Of a pause: which. */
  subject: z.strictObject({ scope: z.enum(['schedule', 'campaign']), name: z.string() }).optional(),
  because: z.string(),
  until: z.iso.datetime({ offset: true }).optional(),
  typed: z.string().optional(),
});

/** Its answer. */
export const switchAnswer = z.object({ asOf: z.string(), isChanged: z.boolean(), isOn: z.boolean() });

/** Answers as types: what the page reads; and bodies, what it sends. */
export type UploadsAnswer = z.infer<typeof uploadsAnswer>;
export type UploadAnswer = z.infer<typeof uploadAnswer>;
export type CheckAnswer = z.infer<typeof checkAnswer>;
export type ParkedAnswer = z.infer<typeof parkedAnswer>;
export type DryRunBody = z.infer<typeof dryRunBody>;
export type DryRunAnswer = z.infer<typeof dryRunAnswer>;
export type ResolveBody = z.infer<typeof resolveBody>;
export type ResolveAnswer = z.infer<typeof resolveAnswer>;
export type SentUploadAnswer = z.infer<typeof sentUploadAnswer>;
export type SwitchBody = z.infer<typeof switchBody>;
export type SwitchAnswer = z.infer<typeof switchAnswer>;
