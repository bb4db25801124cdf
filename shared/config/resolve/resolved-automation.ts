import type { RuleConversion } from '../../datasets/columns/column-mapping.ts';
import type { ResolvedBlackout } from '../../schedule/blackouts.ts';
import type { DatasetField } from '../schema/names.ts';
import type { FunctionName } from '../../vocabulary/resource-names.ts';
import type { ScoreDocument, SilentAlso, WebhookDocument } from '../automation.ts';
import type { ReadDocument } from '../schema/automation-schema.ts';

/**
 * The one document that synth makes of a stage's configuration: checked, defaults applied, durations in ISO 8601. Each function's
 * asset carries its part as `config.json`; nothing is fetched at run time, and a change is a deployment that can be rolled back.
 * Its types are those that the schemas read; here is what other sections make of them.
 */
export interface ResolvedAutomation extends Pick<ReadDocument, 'mode' | 'timezone' | 'gateway' | 'notify'> {
  readonly stage: string;
  /** By run name. */
  readonly runs: Readonly<Record<string, ResolvedRun>>;
  readonly schedules: readonly ResolvedSchedule[];
  readonly blackouts: readonly ResolvedBlackout[];
  readonly packageWatches: readonly ResolvedPackageWatch[];
  readonly projectWatches: readonly ResolvedProjectWatch[];
  /** Longest prefix first. */
  readonly datasetRules: readonly ResolvedDatasetRule[];
  /** For infra alone, no function gets it; empty for a stage on one machine. */
  readonly deployment: ReadDocument['deployment'];
}

/**
 * The gateway as the client needs it: `caBundle` is the certificates themselves in PEM. `status.start` is absent at a gateway that starts a
 * run by its `startAt` alone, `scannerVersionsAs` at one that takes an array.
 */
export type ResolvedGateway = ReadDocument['gateway'];

/** A campaign, as its schema reads it. */
export type ReadCampaign = ReadDocument['campaigns'][string];

/** A run, as its schema reads it. */
export type ReadRun = ReadCampaign['runs'][string];

/**
 * A configured run with what its campaign says about it. Either `stopAfter` or `guards.longestRun`
 * is set.
 */
export interface ResolvedRun
  extends Omit<ReadRun, 'name' | 'providerIds' | 'keepReady'>, Pick<ReadCampaign, 'campaignId' | 'project'> {
  readonly name: string;
  readonly campaign: string;
  /** The settings of its campaign's guards, passed whole. */
  readonly guards: ResolvedGuards;
  /** The campaign is expected to show a start within this long. Absent: it is not looked for. */
  readonly confirm?: { readonly within: string };
  /** The runs that are made of it ahead. Absent: none are. */
  readonly pool?: RunPool;
  /** `{date}` template, sent with the start. */
  readonly nameTemplate?: string;
}

/** What is made ahead for a run: other providers or another campaign are another pool. */
export interface RunPool {
  readonly run: string;
  readonly campaignId: string;
  readonly providerIds: readonly string[];
  /** How many unused runs are kept ready. */
  readonly keepReady: number;
}

/**
 * The settings of a campaign's guards: all that it says beside its place at the gateway. `target` names the target row: it is the campaign, or
 * the target that several campaigns share.
 */
export interface ResolvedGuards extends Omit<
  ReadCampaign,
  'target' | 'runs' | 'campaignId' | 'project' | 'confirm' | 'confirmWithin'
> {
  readonly target: string;
}

type ReadSchedule = ReadDocument['schedules'][number];

/**
 * A schedule as EventBridge Scheduler takes it. Without `missedWithin` a missed start is skipped.
 */
export interface ResolvedSchedule
  extends
    Omit<ReadSchedule, 'timezone' | 'start' | 'stop' | 'at' | 'missed' | 'validFor' | 'missedWithin'>,
    Partial<Pick<ReadSchedule, 'validFor' | 'missedWithin'>> {
  readonly timezone: string;
  readonly action: 'start' | 'stop';
  readonly run: string;
  readonly expression: string;
}

type ReadPackageWatch = ReadDocument['scannerPackages'][number];

/** A watched listing. Without `settle` starts are sent at once. */
export type ResolvedPackageWatch = Omit<ReadPackageWatch, 'settle'> & Partial<Pick<ReadPackageWatch, 'settle'>>;
export type ResolvedProjectWatch = ReadDocument['projects'][number];

/** A dataset rule, as its schema reads it. */
export type ReadDatasetRule = ReadDocument['datasets'][number];

export interface ResolvedDatasetRule extends Pick<
  ReadDatasetRule,
  | 'prefix'
  | 'name'
  | 'check'
  | 'fileId'
  | 'scannerId'
  | 'scannerPackageId'
  | 'scannerVersions'
  | 'only'
  | 'thenStart'
  | 'since'
> {
  /** The file itself is sent, up to this size. Absent: JSON with a `fileId`. */
  readonly file?: { readonly maxBytes: number };
  /** Neither metadata nor a sidecar may change these. */
  readonly locked: readonly DatasetField[];
  /** Waits this long for the sidecar. */
  readonly sidecar?: { readonly within: string };
  /** Absent: every version is registered. */
  readonly versions?: 'latest';
  /** The file is sent as this makes it. Absent: as it is. */
  readonly convert?: RuleConversion;
  readonly announce: boolean;
}

/** What every function gets, and these. */
type Part<Key extends keyof ResolvedAutomation> = Pick<ResolvedAutomation, 'stage' | 'mode' | Key>;

/** What a function gets that calls the gateway, and these. */
type CallingPart<Key extends keyof ResolvedAutomation> = Part<'gateway' | Key> & {
  /** Of one of its environments: its rate divided by the mapping's maximum concurrency. */
  readonly requestsPerSecond: number;
};

/** What of the document each function gets. */
export interface ConfigParts {
  readonly 'poll-scanner-packages': CallingPart<'packageWatches'>;
  readonly 'update-campaign-runs': CallingPart<'timezone' | 'runs' | 'schedules' | 'blackouts'> & {
    /** The same of the reads before a start. */
    readonly readsPerSecond: number;
    /** A run with fewer unused ids rings. */
    readonly runIdsLow: number;
  };
  readonly 'register-datasets': CallingPart<'datasetRules'>;
  readonly 'park-dead-letters': Part<'schedules'>;
  readonly 'reconcile-ledger': Part<'datasetRules' | 'blackouts'> & {
    /** Occurrences that count as silent, too. */
    readonly silentAlso: readonly SilentAlso[];
    /** Those that start runs. */
    readonly schedules: readonly WatchedSchedule[];
  };
  readonly 'watch-projects': CallingPart<'projectWatches'> & {
    /** The project that each run attacks, if its campaign names one. */
    readonly projectOfRun: Readonly<Record<string, string>>;
  };
  readonly 'watch-campaigns': CallingPart<never> & {
    /** Calendars that blackouts follow, by ARN; absent if there are none. */
    readonly calendars?: readonly string[];
    /** ARNs of the alarms that halt it, by campaign; absent if there are none. */
    readonly haltOn?: Readonly<Record<string, readonly string[]>>;
    /** How the scores of runs are judged; absent if no run is read. */
    readonly results?: {
      /** Of the stage's configuration: another one may explain another score. */
      readonly digest: string;
      readonly ofRun: Readonly<Record<string, ComparedRun>>;
    };
    /** Runs that are made ahead; absent if there are none. */
    readonly pools?: readonly RunPool[];
  };
  readonly 'answer-questions': CallingPart<Exclude<keyof ResolvedAutomation, 'notify' | 'deployment'>> & {
    /** A webhook by its name and kind alone: no worker needs to know which secret holds its address. */
    readonly notify: Omit<ResolvedAutomation['notify'], 'webhooks'> & {
      readonly webhooks: readonly Pick<WebhookDocument, 'name' | 'kind'>[];
    };
  };
}

/** What the scores of a run are compared by. */
interface ComparedRun {
  /** The watches whose changes may explain them, as commands name them. */
  readonly watches: readonly string[];
  readonly score?: ScoreDocument;
}

/** A schedule that starts a run, as far as its silence is judged by it. */
export interface WatchedSchedule extends Pick<
  ResolvedSchedule,
  'name' | 'run' | 'expression' | 'timezone' | 'startDate'
> {
  /** Of its run. */
  readonly campaign?: string;
  /** It is silent after this many occurrences without a start. */
  readonly silentAfter: number;
}

export type ConfigPart<Name extends FunctionName> = ConfigParts[Name];
