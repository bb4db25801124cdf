import { createHash } from 'node:crypto';
import type { OutcomeKind } from '../vocabulary/outcomes.ts';
import type { ReasonCode } from '../vocabulary/reason-codes.ts';
import type { CampaignReading } from './campaign-reading.ts';
import type { CommandRow } from './rows/command-row.ts';
import type { GuardRow } from './rows/guard-row.ts';
import type { RunIdPoolRow } from './rows/run-id-pool-row.ts';
import type { RunRow } from './rows/run-row.ts';

/**
 * Every item of the ledger: its key, its attributes and its states (docs/ledger.md has the table). One table, one string key `pk`, whole-item
 * writes conditioned on the version that was read. Instants are RFC 3339 in UTC; epochs are milliseconds unless the name says otherwise.
 */

/** What every item carries. `version` and `writer` belong to the store: `ledger.ts` says how. */
export interface ItemBase {
  readonly pk: string;
  /** Set while somebody is needed or something is under way: the sparse index `open` holds just these rows. */
  readonly openState?: OpenState;
  /** Since when, RFC 3339; the order of the index. */
  readonly openSince?: string;
  /** Epoch SECONDS after which DynamoDB may delete the row. @default never */
  readonly expiresAt?: number;
}

/** States that need somebody, or are under way: what `status`, `parked list`, the watchers and the alarms read. */
export type OpenState =
  | 'PARKED'
  /** Messages being worked on, or waiting to be. */
  | 'IN_FLIGHT'
  /** Runs between a start and its stop: on their own, so that a backlog of uploads never hides a stop that is due. */
  | 'RUN_IN_FLIGHT'
  /** Commands that were tried and have no outcome yet, by their first try. */
  | 'PENDING'
  /** Starts that a blackout defers, by the instant at which it is over. */
  | 'DEFERRED'
  /** Freezes and pauses that are on. */
  | 'SWITCHED'
  /** Watches whose changes wait until nothing more changes. */
  | 'SETTLING'
  /** Commands that have their outcome and need nobody: their history, by the instant of the outcome. */
  | 'ENDED';

/** How one accepted message ended. */
export interface RecordedOutcome {
  readonly kind: OutcomeKind;
  readonly reason?: ReasonCode;
  /** One or two sentences: what was found, what came back. */
  readonly detail?: string;
  readonly at: string;
}

/** A parked row keeps what a person and a repeat need. */
export interface ParkedWork {
  /** The message as it came, capped. */
  readonly message: string;
  /** Whether `message` was cut: then it cannot be sent again. */
  readonly isMessageCut?: boolean;
  /** Logical queue that `resolve --repeat` sends it back to. */
  readonly queue: QueueName;
  readonly httpStatus?: number;
  readonly errorCode?: string;
  readonly requestSent?: boolean;
  readonly attempts: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly requestId?: string;
  /** A dataset's name, or another handle to look for at the gateway. */
  readonly lookFor?: string;
}

/** The queues by what they carry. */
export type QueueName = 'commands' | 'uploads' | 'plans';

/** A person's decision about a parked row. */
export interface Resolution {
  readonly decision: 'applied' | 'repeat' | 'dismiss';
  readonly by: string;
  readonly reason: string;
  readonly at: string;
  readonly datasetId?: string;
}

/** An attempt under way at a plan, whose row is else written at its end only; `attempt-mark.ts` says when it is written. */
export interface AttemptMark {
  readonly owner: string;
  /** When the platform cuts it. */
  readonly until: string;
  /** Attempts in a row before it that started and never ended. */
  readonly crashes: number;
}

/** The sign of a start: the campaign reads differently. */
export interface AwaitedConfirmation {
  /** Of the start. */
  readonly commandId: string;
  readonly campaignId: string;
  readonly by: 'runCount' | 'lastRunAt';
  /** As it read before the PATCH; absent: the gateway showed none. */
  readonly before?: number | string;
  /** A sign that has not come by then is missing. */
  readonly until: string;
}

/** States of an upload; `SENDING` is written before the one request that cannot be repeated. */
export type UploadState = 'CLAIMED' | 'SENDING' | 'APPLIED' | 'READY' | 'UNKNOWN' | 'PARKED' | 'SKIPPED' | 'IGNORED';

/** What a check found in a file that passed it. */
export interface CheckedFile {
  /** Without the header. */
  readonly rows: number;
  /** Rows labelled true or 1: prompts that should be blocked. */
  readonly blocking: number;
  /** Rows whose prompt stands in an earlier row too. */
  readonly repeated: number;
}

/** One object version under `datasets/`. */
export interface UploadItem extends ItemBase {
  readonly kind: 'upload';
  readonly state: UploadState;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  /** The event's own time. */
  readonly eventTime: string;
  /** Attempt that holds it; absent in states that nobody holds. */
  readonly owner?: string;
  readonly leaseUntil?: string;
  readonly attempts: number;
  /** Attempts that started and never said how they ended. */
  readonly crashes: number;
  readonly sentAt?: string;
  /** READY: not before this. */
  readonly notBefore?: string;
  readonly lastError?: string;
  /** Answers in a row of the kind that is parked after some tries (403). */
  readonly refusals?: number;
  readonly datasetKey?: string;
  readonly datasetId?: string;
  readonly datasetName?: string;
  readonly ruleName?: string;
  /** What the check of its rule found in the file. */
  readonly checked?: CheckedFile;
  /** Nothing was sent: the stage only observes. */
  readonly isObserved?: true;
  readonly outcome?: RecordedOutcome;
  readonly parked?: ParkedWork;
  readonly resolutions?: readonly Resolution[];
}

/** A request body with the bytes it is about, bound to the upload that made it. */
export interface DatasetItem extends ItemBase {
  readonly kind: 'dataset';
  /** `pk` of the upload. It binds while that upload is under way, APPLIED or UNKNOWN. */
  readonly upload: string;
}

/**
 * The upload that a dataset was made of, in a row of its own: as it was written until 21 November 2026. Since then the upload's own row is
 * found by its dataset; the last of these rows has expired on 26 December 2027.
 */
export interface ReceiptItem extends ItemBase {
  readonly kind: 'receipt';
  /** `pk` of the upload. */
  readonly upload: string;
}

/** A run plan, one object version. */
export interface PlanItem extends ItemBase {
  readonly kind: 'plan';
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  readonly commandIds?: readonly string[];
  readonly attempt?: AttemptMark;
  readonly outcome?: RecordedOutcome;
  readonly parked?: ParkedWork;
  readonly resolutions?: readonly Resolution[];
}

/** A message that has no key of its own: it cannot be read, or SQS gave it up. */
export interface MessageItem extends ItemBase {
  readonly kind: 'message';
  readonly outcome?: RecordedOutcome;
  readonly parked?: ParkedWork;
  readonly resolutions?: readonly Resolution[];
}

/** The head of a watched listing. */
export interface WatchItem extends ItemBase {
  readonly kind: 'watch';
  readonly name: string;
  /** Changes with the filters, and with how packages are laid out in rows: another one makes the next walk a baseline. */
  readonly filtersHash: string;
  readonly baselineAt?: string;
  readonly lease?: { readonly owner: string; readonly until: string };
  readonly walkedAt?: string;
  readonly packages?: number;
  readonly changeSet?: ChangeSet;
  /** A walk that was cut off: the next poll goes on with it. */
  readonly walk?: CutWalk;
  /** The pages of the last look, while they vouch for what is known: taken out before anything is compared, put in after all is written. */
  readonly pages?: VouchingPages;
}

/** Which row of pages it is, and how long it vouches. */
export interface VouchingPages {
  /** Of the row `watch-pages`: any other version of it vouches for nothing. */
  readonly version: number;
  /** When every page was compared last, and not taken for known. */
  readonly since: string;
  /** The look that they are of. A version that knows nothing of pages leaves them as they are when it looks, and says when it looked. */
  readonly walkedAt?: string | undefined;
}

/** How far a walk came before it was cut off. */
export interface CutWalk {
  /** What it saw is in the `watch-walk` rows of this id. */
  readonly id: string;
  /** Of the filters that it walks with: its cursor is of no use with others. */
  readonly filtersHash: string;
  /** Where the next page begins. */
  readonly cursor: string;
  readonly pages: number;
  /** Since when it waits for that page. @default it was saved before this was written down */
  readonly savedAt?: string;
  /** For each row of what it saw, numbered from 0: the group of chunks whose packages it holds. */
  readonly parts: readonly number[];
  /** The version of the last look's pages that this walk holds its own against. @default it takes no page for known */
  readonly against?: number;
  /** The version of the row with its own pages, and how many packages these listed. @default they vouch for nothing */
  readonly own?: { readonly version: number; readonly listed: number };
}

/** Packages of one group of chunks as a walk saw them in some of its pages. Rows are used again by later walks of the watch. */
export interface WatchWalkItem extends ItemBase {
  readonly kind: 'watch-walk';
  /** Whose part it is: a row of another walk is an old one. */
  readonly walk: string;
  readonly packages: Readonly<Record<string, SeenPackage>>;
}

/** What a walk saw of a package; `known`: its page is as in the last look, so it is as the ledger knows it. */
export type SeenPackage = PackageFingerprint | 'known';

/** Each page of a watch's last look, or of a walk that was cut off: a digest of what the gateway answered, in the order of the pages. */
export interface WatchPagesItem extends ItemBase {
  readonly kind: 'watch-pages';
  /** How fingerprints were made of these pages; those of another form vouch for nothing. */
  readonly form: number;
  readonly digests: readonly string[];
}

/** Changes found and not yet acted on. Opened (empty) before fingerprints are written, filled when closing, dropped after its starts are sent. */
export interface ChangeSet {
  readonly id: string;
  readonly since: string;
  /** When a look found something for it last; written before the fingerprints of that look. */
  readonly changedAt: string;
  readonly changes: readonly PackageChange[];
  /** Changes beyond those listed, once the list is full. */
  readonly more: number;
  /** Runs that the rules name. */
  readonly starts: readonly string[];
  /** Nothing is added any more: its starts are being sent. */
  readonly isClosing: boolean;
}

/** One package that differs from the last look. */
export interface PackageChange {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly packageId: string;
  readonly name: string;
  /** Changed fields; empty for added and removed. */
  readonly fields: readonly string[];
}

/** Fingerprints of the packages whose id falls into this chunk. */
export interface WatchChunkItem extends ItemBase {
  readonly kind: 'watch-chunk';
  readonly packages: Readonly<Record<string, PackageFingerprint>>;
  /** Differences that these fingerprints hold and that change set reports; of no meaning once it is closed. One write with the fingerprints. */
  readonly found?: FoundInChunk;
}

/** What was found in one chunk for a change set. */
export interface FoundInChunk {
  readonly changeSet: string;
  readonly changes: readonly PackageChange[];
  /** Changes beyond those listed, once the list is full. */
  readonly more: number;
  readonly starts: readonly string[];
}

/** A package as last seen: a short hash for each field. */
export interface PackageFingerprint {
  readonly name: string;
  /** What rules match on and a removed package can no longer tell. */
  readonly direction?: string;
  readonly source?: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Complete walks in a row that did not show it. */
  readonly missing?: number;
}

/** A watched project: what its last complete look saw, and what is still to be told of it. One row, so that all of it changes in one write. */
export interface ProjectWatchItem extends ItemBase {
  readonly kind: 'project-watch';
  readonly name: string;
  readonly lease?: { readonly owner: string; readonly until: string };
  /** The last look; absent before the first. */
  readonly look?: ProjectLook;
  /** Differences that the last look found and that are not told yet. */
  readonly changeSet?: ProjectChangeSet;
  /** Where the watch reads the deprecated endpoints. */
  readonly endpoints?: EndpointsLook;
}

/** A look at a project's configuration. */
export interface ProjectLook {
  /** The project as configured: another one makes the next look a baseline. */
  readonly project: string;
  /** Just before it was read: what `configAt` is asked for. */
  readonly at: string;
  readonly config: ConfigFingerprints;
}

/** A configuration as short hashes: what may stand in a configuration is nobody's but the gateway's. */
export interface ConfigFingerprints {
  /** By list (`packages`, `scanners`, `providers`), entry and field; a list that the gateway did not show is absent. */
  readonly lists: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  /** Everything beside the lists, such as `providerRouting`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Differences of a project's configuration, written with the look that found them and dropped once everything is sent for them. */
export interface ProjectChangeSet {
  readonly id: string;
  readonly project: { readonly id: string; readonly name: string };
  /** The look before, and the one that found them: they were made between the two. */
  readonly from: string;
  readonly to: string;
  readonly changes: readonly ProjectChange[];
  /** Changes beyond those listed. */
  readonly more: number;
  /** Runs that the rules start. */
  readonly starts: readonly string[];
  /** Runs that were in flight while it changed. */
  readonly notComparable: readonly RunInWindow[];
}

/** One difference. */
export interface ProjectChange {
  readonly kind: 'added' | 'changed' | 'removed';
  /** `scanners.ID` where an entry came or went, `scanners.ID.version` or `providerRouting` where something changed. */
  readonly field: string;
  /** What it was, where that is known and the interface names the field. */
  readonly before?: string;
  readonly after?: string;
}

/** A run that was in flight while its project changed. */
export interface RunInWindow {
  readonly campaignRunId: string;
  readonly run: string;
  readonly startedAt: string;
}

/** The endpoints of a watch: days are calendar days in UTC. */
export interface EndpointsLook {
  readonly readOn: string;
  /** The day of the last report and a hash of the ids in it; absent where none are in use. */
  readonly reported?: { readonly on: string; readonly ids: string };
  /** A report that is not sent yet. */
  readonly report?: {
    readonly eventId: string;
    readonly at: string;
    readonly count: number;
    readonly endpoints: readonly { readonly id: string; readonly name: string }[];
  };
}

/** The gate that everybody stops at before a call of the gateway: open, paused until an instant, or closed until a probe succeeds. */
export interface GateItem extends ItemBase {
  readonly kind: 'gate';
  /** The gateway asked for it: nobody calls before. Then calls go on at their own pace, without a probe. */
  readonly pausedUntil?: string;
  /** An outage: nobody calls until a probe succeeds. */
  readonly closed?: GateClosure;
  /** One sentence for people: why it is closed, or was paused last. */
  readonly reason?: string;
  /** Since when it is closed or paused. */
  readonly since?: string;
  /** What the last calls were about, where each failed as in an outage and none was answered since; enough different ones close the gate. */
  readonly suspects?: readonly string[];
  /** Failed probes of a closure that ended with a refused probe: until a call is answered, the next closure goes on from there. */
  readonly failedProbes?: number;
}

/** An outage, and who looks whether it is over. */
export interface GateClosure {
  /** The next probe is due; a probe under way moves this behind its own end, so that one that dies is followed by another. */
  readonly probeAt: string;
  /** Probes that failed since it closed. */
  readonly failedProbes: number;
  /** Who makes the probe that is under way. */
  readonly probeOwner?: string;
}

/** Commands that were sent because they were due, each with its instant, until they are due no more: none is sent every minute. */
export interface SentCommandsItem extends ItemBase {
  readonly kind: 'sent-commands';
  /** By command id. */
  readonly sent: Readonly<Record<string, string>>;
}

/** What the watcher sends. */
export type DueKind = 'due-stops' | 'deferred-starts';

/** What became of one `AwaitedConfirmation`: the sign was seen, or it was missing when its time was over. */
export interface ConfirmationItem extends ItemBase {
  readonly kind: 'confirmation';
  readonly campaignRunId: string;
  readonly awaited: AwaitedConfirmation;
  readonly confirmed?: { readonly at: string; readonly reads: number | string };
  /** When it was reported as missing; it stays where the sign comes later. */
  readonly missingSince?: string;
}

/** A start of ours as the watcher of its campaign knows it. */
export interface OwnStart {
  /** It may show until then. */
  readonly until: string;
  /** The gateway said yes to it. */
  readonly isAccepted?: true;
  /** It has shown in `runCount`, and does not a second time. */
  readonly isCounted?: true;
}

/** A campaign as it was last read, and the starts of ours that its moves may be due to. */
export interface CampaignLookItem extends ItemBase {
  readonly kind: 'campaign-look';
  readonly campaignId: string;
  /** Just before it was read. */
  readonly at: string;
  readonly reading: CampaignReading;
  /** By command id. */
  readonly ours: Readonly<Record<string, OwnStart>>;
  /** Since when it reads differently and no start of ours says why: reported if the next look finds no reason either. */
  readonly suspectedAt?: string;
}

/** What a switch holds back: every start of the stage, those of one campaign, or those that one schedule asks for. */
export type SwitchScope = 'stage' | 'campaign' | 'schedule';

/** A freeze or a pause, said by a person. Off, the row stays as the record of who lifted it. */
export interface SwitchItem extends ItemBase {
  readonly kind: 'switch';
  readonly scope: SwitchScope;
  /** The campaign or the schedule; of the stage `stage`. */
  readonly name: string;
  readonly isOn: boolean;
  /** Who switched it last. */
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

/** The rows that a person resolved under one short handle: they have left the index, and can be shown all the same. */
export interface HandleItem extends ItemBase {
  readonly kind: 'handle';
  /** Their keys; several only where the handles of several rows begin alike. */
  readonly rows: readonly string[];
}

/** Where the reconciler stands: one row, and its lease. */
export interface ReconcileItem extends ItemBase {
  readonly kind: 'reconcile';
  readonly lease?: { readonly owner: string; readonly until: string };
  /** For each watched prefix: uploads before this instant are not looked for. */
  readonly since: Readonly<Record<string, string>>;
  /** When the open rows were last looked at. */
  readonly sweptAt?: string;
  /** The last pass over the bucket that saw every page. */
  readonly lastPass?: {
    readonly startedAt: string;
    /** The oldest upload without a row whose message may still wait in its queue. */
    readonly oldestWaiting?: string;
  };
  /** When the last pass began that looked 30 days back. */
  readonly fullPassAt?: string;
  /** The pass under way, and how far it is. */
  readonly pass?: {
    readonly startedAt: string;
    /** Rows of older versions are not read. */
    readonly from: string;
    readonly isFull: boolean;
    readonly oldestWaiting?: string;
    /** The prefix that is being listed; absent before the first page. */
    readonly root?: string;
    /** Its last listed version; absent before the first page of the prefix. */
    readonly after?: { readonly key: string; readonly versionId?: string };
  };
}

/** The last outcomes, newest first: written once a batch, best effort, for `autopilot status` alone. The rows themselves are the record. */
export interface RecentItem extends ItemBase {
  readonly kind: 'recent';
  /** One text for each: `recent-outcomes.ts` writes and reads it. Absent in rows of an earlier form, which nobody reads any more. */
  readonly lines?: readonly string[];
}

/** One line of `autopilot status`. */
export interface RecentOutcome extends RecordedOutcome {
  readonly worker: string;
  /** What it was about: a command id, an object key. */
  readonly subject: string;
}

/** Any row of the ledger. */
export type LedgerItem =
  | CommandRow
  | RunRow
  | GuardRow
  | RunIdPoolRow
  | UploadItem
  | DatasetItem
  | ReceiptItem
  | PlanItem
  | MessageItem
  | WatchItem
  | WatchChunkItem
  | WatchWalkItem
  | WatchPagesItem
  | ProjectWatchItem
  | GateItem
  | SentCommandsItem
  | ConfirmationItem
  | CampaignLookItem
  | SwitchItem
  | HandleItem
  | ReconcileItem
  | RecentItem;

/** Rows that can be parked and resolved. */
export type ParkableItem = CommandRow | UploadItem | PlanItem | MessageItem;

/** The dataset that was made of what a row tells, if it is the row of an upload that is registered. */
export function madeDatasetOf(item: LedgerItem): string | undefined {
  return item.kind === 'upload' && item.state === 'APPLIED' ? item.datasetId : undefined;
}

/** The kinds, and the item of each. */
export type ItemOfKind<Kind extends LedgerItem['kind']> = Extract<LedgerItem, { kind: Kind }>;

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('hex');
}

/** Keys of the ledger: `kind#…`, nothing else is ever a key. */
export const ledgerKeys = {
  command: (id: string) => `command#${id}`,
  run: (campaignRunId: string) => `run#${campaignRunId}`,
  guard: (name: string) => `guard#${name}`,
  runIdPool: (run: string) => `run-id-pool#${run}`,
  /** Not in the key: message id, event time, sequencer, etag, receive count: all of them change for the same object version. */
  upload: (bucket: string, key: string, versionId: string) => `upload#1#${digest(bucket, key, versionId)}`,
  plan: (bucket: string, key: string, versionId: string) => `plan#1#${digest(bucket, key, versionId)}`,
  dataset: (requestBody: string, contentDigest: string) => `dataset#1#${digest(requestBody, contentDigest)}`,
  receipt: (datasetId: string) => `receipt#${datasetId}`,
  message: (queue: string, messageId: string) => `message#${queue}#${messageId}`,
  watch: (name: string) => `watch#${name}`,
  watchChunk: (name: string, chunk: number) => `watch#${name}#${String(chunk).padStart(3, '0')}`,
  watchWalk: (name: string, part: number) => `watch#${name}#walk#${part}`,
  watchPages: (name: string) => `watch#${name}#pages`,
  watchWalkPages: (name: string) => `watch#${name}#walk#pages`,
  projectWatch: (name: string) => `project-watch#${name}`,
  gate: () => 'gate#gateway',
  sentCommands: (what: DueKind) => `sent-commands#${what}`,
  confirmation: ({ campaignRunId, commandId }: { readonly campaignRunId: string; readonly commandId: string }) =>
    `confirmation#${campaignRunId}#${commandId}`,
  campaignLook: (campaignId: string) => `campaign-look#${campaignId}`,
  switch: (scope: SwitchScope, name: string) => (scope === 'stage' ? 'switch#stage' : `switch#${scope}#${name}`),
  handle: (handle: string) => `handle#${handle}`,
  reconcile: () => 'reconcile#ledger',
  recent: () => 'recent#outcomes',
} as const;

/** Stands before every key of what a stage in `mode: 'observe'` would have done: none of it is ever taken for done. */
export const observedPrefix = 'observe#';

/** Whether a row tells what would have been, and nothing was. */
export function isObserved({ pk }: Pick<LedgerItem, 'pk'>): boolean {
  return pk.startsWith(observedPrefix);
}

const daySeconds = 86_400;

/** How long rows live, in days (reliability.md 4.1: queue + dead-letter queue + redrive + margin is 90; evidence is kept longer). */
export const rowLifeDays = {
  'watch-walk': 30,
  command: 400,
  upload: 400,
  plan: 400,
  message: 90,
  dataset: 400,
  receipt: 400,
  handle: 400,
  confirmation: 400,
} as const;

/** Epoch seconds for `expiresAt`. */
export function expiryOf(kind: keyof typeof rowLifeDays, now: Date): number {
  return Math.floor(now.getTime() / 1000) + rowLifeDays[kind] * daySeconds;
}
