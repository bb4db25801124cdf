/** Answers about files and parked items, and the bodies of the requests that decide about them. See `api.ts`. */
import * as z from 'zod';
import type { Advice } from '#operator/parked/parked-advice.ts';
import type { FoundReport } from '#operator/parked/findings.ts';
import type { ParkedEntry, ParkedGroup } from '#operator/parked/parked-rows.ts';
import type { ResolveReport } from '#operator/parked/resolve-rows.ts';
import type { StageDatasetRule } from '#operator/stage/stage-config.ts';
import type { JudgedFile } from '#operator/uploads/judge-file.ts';
import type { UploadEntry } from '#operator/uploads/list-uploads.ts';
import type { ShownVersion } from '#operator/uploads/shown-work.ts';
import type { ParkDecision } from '#shared/vocabulary/reason-codes.ts';

/** `GET /api/stages/STAGE/uploads?before=…`: the newest first. */
export interface UploadsAnswer {
  readonly asOf: string;
  readonly uploads: readonly UploadEntry[];
  /** For `before=` of the next page; absent at the end. */
  readonly nextBefore?: string | undefined;
}

/** `GET /api/stages/STAGE/uploads/KEY`: `show KEY --json`. */
export interface UploadAnswer {
  readonly asOf: string;
  readonly key: string;
  readonly versions: readonly ShownVersion[];
}

/** `POST /api/stages/STAGE/check?key=…&encoding=…&prompt-column=…` with the bytes of a file: `check --json`, for one file. */
export interface CheckAnswer extends JudgedFile {
  /** The rule of the stage that the key meets; absent if there is none, or the stage cannot be asked. */
  readonly rule?: StageDatasetRule | undefined;
  /** Why the rule is not known. */
  readonly ruleUnknownBecause?: string | undefined;
}

/** `GET /api/stages/STAGE/parked`: `parked list --json`. */
export interface ParkedAnswer {
  readonly asOf: string;
  readonly groups: readonly (ParkedGroup & Choices)[];
  readonly parked: readonly ParkedEntry[];
  /** Each with what `resolve` takes back. */
  readonly findings: readonly (FoundReport & RowAsRead)[];
}

/** A row by its key, as it was read: a change since then refuses a decision about it. */
export interface RowAsRead {
  readonly row: string;
  readonly version: number;
}

/** What may be decided about an item. */
export interface Choices {
  readonly decisions: readonly ParkDecision[];
  /** A repeat may have its effect a second time. */
  readonly mayDouble: boolean;
}

/** `GET /api/stages/STAGE/parked/ID`: `parked show --json`, with the page of the runbook. */
export interface ParkedItemAnswer extends ParkedEntry, Choices {
  readonly asOf: string;
  readonly isParked: boolean;
  /** The item's own commands. */
  readonly advice: readonly Advice[];
  /** What is known and what is not, as `parked show` prints it: a label and a text. */
  readonly facts: readonly (readonly [string, string])[];
  /** The message that is kept, as it came. */
  readonly message?: string | undefined;
  /** The section of docs/runbook.md without its commands; absent if it cannot be read. */
  readonly page?: readonly PageNode[] | undefined;
}

/** A text, or an element of the page around others. */
export type PageNode =
  | string
  | { readonly element: 'p' | 'ul' | 'li' | 'strong' | 'code'; readonly children: readonly PageNode[] };

const decided = {
  decision: z.enum(['repeat', 'dismiss', 'applied']),
  /** With `applied`: the dataset at the gateway. */
  datasetId: z.string().optional(),
  acceptsSecondEffect: z.boolean().optional(),
};

/** Body of `POST /api/stages/STAGE/parked/dry-run`: items by their ids, or all of one reason. */
export const dryRunBody = z.strictObject({
  rows: z.union([
    z.strictObject({ ids: z.array(z.string()).min(1).max(200) }),
    z.strictObject({ reason: z.string(), before: z.iso.datetime({ offset: true }).optional() }),
  ]),
  ...decided,
});

/** Its answer: what the decision would do, and which items it would leave. */
export interface DryRunAnswer {
  readonly decision: ParkDecision;
  readonly todo: readonly (ParkedEntry & RowAsRead)[];
  readonly left: readonly (ParkedEntry & { readonly problem: string })[];
  /** Items of that reason that one dry run does not look at. */
  readonly more: number;
  /** The words of the command of the CLI for the same. */
  readonly command: readonly string[];
}

/** Body of `POST /api/stages/STAGE/parked/resolve`, with `--allow resolve`: exactly the rows of a dry run, or findings. */
export const resolveBody = z.strictObject({
  rows: z
    .array(z.strictObject({ row: z.string(), version: z.number() }))
    .min(1)
    .max(200),
  ...decided,
  because: z.string(),
  /** The name of a deployed stage, typed by the person; needed once in a session. */
  typed: z.string().optional(),
});

/** Its answer. A row that changed since the dry run is refused with 409 before any is written. */
export interface ResolveAnswer {
  readonly resolved: readonly Pick<ResolveReport, 'id' | 'subject' | 'problem'>[];
}

/** `POST /api/stages/STAGE/uploads?key=…&typed=…` with the bytes of a file, with `--allow upload`. */
export interface SentUploadAnswer {
  readonly key: string;
  readonly versionId?: string | undefined;
}

/** Body of `POST /api/stages/STAGE/switches`, with `--allow switch`. */
export const switchBody = z.strictObject({
  action: z.enum(['freeze', 'thaw', 'pause', 'resume']),
  /** Of a pause: which. */
  subject: z.strictObject({ scope: z.enum(['schedule', 'campaign']), name: z.string() }).optional(),
  because: z.string(),
  /** When it ends automatically. */
  until: z.iso.datetime({ offset: true }).optional(),
  typed: z.string().optional(),
});

export interface SwitchAnswer {
  readonly isChanged: boolean;
}

/** Body of `POST /api/stages/STAGE/stops`, with `--allow stop`: exactly the runs that the person looked at, by their starts. */
export const stopBody = z.strictObject({
  startIds: z.array(z.string()).min(1).max(100),
  because: z.string(),
  typed: z.string().optional(),
});

/** Its answer: the stops that were sent, by their ids. */
export interface StopAnswer {
  readonly sent: readonly string[];
}

/** Bodies, as the page sends them. */
export type DryRunBody = z.infer<typeof dryRunBody>;
export type ResolveBody = z.infer<typeof resolveBody>;
export type SwitchBody = z.infer<typeof switchBody>;
export type StopBody = z.infer<typeof stopBody>;
