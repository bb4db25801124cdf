import type { RuleConversion } from '../../datasets/read-dataset.ts';
import type { ResolvedBlackout } from '../../schedule/blackouts.ts';
import type { DatasetField } from '../names.ts';
import type { FunctionName } from '../../vocabulary/resource-names.ts';
import type { CampaignDocument, PackageChangeRuleDocument, ProjectChangeRuleDocument } from '../automation.ts';
import type { Deployment, NewsKind, SilentAlso, WebhookDocument } from '../deployment.ts';

/**
 * The one document that synth makes of a stage's configuration: checked, defaults applied, durations in ISO 8601. Each function's
 * asset carries its part as `config.json`; nothing is fetched at run time, and a change is a deployment that can be rolled back.
 */
export interface ResolvedAutomation {
  readonly stage: string;
  readonly mode: 'act' | 'observe';
  readonly timezone: string;
  readonly gateway: ResolvedGateway;
  /** By run name. */
  readonly runs: Readonly<Record<string, ResolvedRun>>;
  readonly schedules: readonly ResolvedSchedule[];
  readonly blackouts: readonly ResolvedBlackout[];
  readonly packageWatches: readonly ResolvedPackageWatch[];
  readonly projectWatches: readonly ResolvedProjectWatch[];
  /** Longest prefix first. */
  readonly datasetRules: readonly ResolvedDatasetRule[];
  /** Where alarms and notices go; each e-mail address once. */
  readonly notify: {
    readonly emails: readonly string[];
    readonly webhooks: readonly WebhookDocument[];
    readonly silentAfter: number;
    readonly silentAlso: readonly SilentAlso[];
    /** A run with fewer unused ids rings. */
    readonly runIdsLow: number;
    readonly also: readonly NewsKind[];
  };
  /** For infra alone, no function gets it; empty for a stage on one machine. */
  readonly deployment: Deployment;
}

/** The gateway as the client needs it. */
export interface ResolvedGateway {
  readonly baseUrl: string;
  /** PEM: the certificates themselves. */
  readonly caBundle?: string;
  readonly proxy?: string;
  /** `start` is absent at a gateway that starts a run by its `startAt` alone. */
  readonly status: { readonly start?: string; readonly stop: string };
  /** ISO 8601. */
  readonly startLead: string;
  readonly requestsPerSecond: { readonly datasets: number; readonly runs: number; readonly reads: number };
  readonly alreadyInState: { readonly start: readonly string[]; readonly stop: readonly string[] };
  /** Whether a start may be sent again without an answer: always true without a word for `status.start`. */
  readonly startsRepeatSafely: boolean;
  /** Absent: no run can be read. */
  readonly readsRuns?: boolean;
  readonly postMayRepeatOn: readonly number[];
  /** Absent: an array. */
  readonly scannerVersionsAs?: 'comma-separated' | 'json-text';
}

/** A configured run with what its campaign says about it. */
export interface ResolvedRun {
  readonly name: string;
  readonly campaign: string;
  readonly campaignId?: string;
  /** One for each start; `bind` adds more. */
  readonly campaignRunIds: readonly string[];
  /** A start plans its own stop this long after the instant of effect. Either this or `guards.longestRun` is set. */
  readonly stopAfter?: string;
  /** The settings of its campaign's guards, passed whole. */
  readonly guards: ResolvedGuards;
  readonly project?: string;
  /** The campaign is expected to show a start within this long. Absent: it is not looked for. */
  readonly confirm?: { readonly within: string };
  /** `{date}` template, sent with the start. */
  readonly nameTemplate?: string;
  /** Sent with the start. */
  readonly preserve?: boolean | string;
}

/**
 * The settings of a campaign's guards: all that it says beside its place at the gateway. `target` names the target row: it is the campaign, or
 * the target that several campaigns share.
 */
export type ResolvedGuards = Required<Pick<CampaignDocument, 'target' | 'overlap'>> &
  Omit<CampaignDocument, 'target' | 'overlap' | 'runs' | 'campaignId' | 'project' | 'confirm' | 'confirmWithin'>;

/** A schedule as EventBridge Scheduler takes it. */
export interface ResolvedSchedule {
  readonly name: string;
  readonly action: 'start' | 'stop';
  readonly run: string;
  readonly expression: string;
  readonly timezone: string;
  readonly validFor?: string;
  readonly startDelay?: string;
  readonly startDate?: string;
  /** A missed start is made up for once, this long. Absent: it is skipped. */
  readonly missedWithin?: string;
  readonly enabled: boolean;
  /** Absent: `notify.silentAfter`. */
  readonly silentAfter?: number;
}

/** A watched listing. */
export interface ResolvedPackageWatch {
  readonly name: string;
  readonly every: string;
  /** The same period as a Scheduler expression: `rate(15 minutes)`. */
  readonly expression: string;
  readonly filters: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly onChange: readonly PackageChangeRuleDocument[];
  /** Absent: starts are sent at once. */
  readonly settle?: string;
}

/** A watched project. */
export interface ResolvedProjectWatch {
  readonly name: string;
  readonly project: string;
  readonly expression: string;
  readonly onChange: readonly ProjectChangeRuleDocument[];
  readonly endpoints?: { readonly groupId?: string; readonly chatbotId?: string };
}

/** A dataset rule. */
export interface ResolvedDatasetRule {
  readonly prefix: string;
  /** The file itself is sent, up to this size. Absent: JSON with a `fileId`. */
  readonly file?: { readonly maxBytes: number };
  readonly fileId?: string;
  readonly name: string;
  readonly scannerId?: string;
  readonly scannerPackageId?: string;
  /** Sent as `gateway.scannerVersionsAs` says. */
  readonly scannerVersions?: readonly string[];
  /** Neither metadata nor a sidecar may change these. */
  readonly locked: readonly DatasetField[];
  /** Waits this long for the sidecar. */
  readonly sidecar?: { readonly within: string };
  /** Absent: every version is registered. */
  readonly versions?: 'latest';
  readonly check: 'prompt-label-csv' | 'none';
  /** Ends of names that it takes; absent: any. */
  readonly only?: readonly string[];
  /** The file is sent as this makes it. Absent: as it is. */
  readonly convert?: RuleConversion;
  readonly thenStart?: string;
  readonly announce: boolean;
  /** Uploads before this instant are not looked for by the reconciler. */
  readonly since?: string;
}

/** What of the document each function gets. */
export interface ConfigParts {
  readonly 'poll-scanner-packages': Pick<ResolvedAutomation, 'stage' | 'mode' | 'gateway' | 'packageWatches'> & Paced;
  readonly 'update-campaign-runs': Pick<
    ResolvedAutomation,
    'stage' | 'mode' | 'timezone' | 'gateway' | 'runs' | 'blackouts'
  > &
    Paced &
    MakesUp & {
      /** The same of the reads before a start. */
      readonly readsPerSecond: number;
      /** A run with fewer unused ids rings. */
      readonly runIdsLow: number;
    };
  readonly 'register-datasets': Pick<ResolvedAutomation, 'stage' | 'mode' | 'gateway' | 'datasetRules'> & Paced;
  readonly 'park-dead-letters': Pick<ResolvedAutomation, 'stage' | 'mode'>;
  readonly 'reconcile-ledger': Pick<ResolvedAutomation, 'stage' | 'mode' | 'datasetRules' | 'blackouts'> & {
    /** Occurrences that count as silent, too. */
    readonly silentAlso: readonly SilentAlso[];
    /** Those that start runs. */
    readonly schedules: readonly WatchedSchedule[];
  };
  readonly 'watch-projects': Pick<ResolvedAutomation, 'stage' | 'mode' | 'gateway' | 'projectWatches'> &
    Paced & {
      /** The project that each run attacks, if its campaign names one. */
      readonly projectOfRun: Readonly<Record<string, string>>;
    };
  readonly 'watch-campaigns': Pick<ResolvedAutomation, 'stage' | 'mode' | 'gateway'> &
    Paced & {
      /** Calendars that blackouts follow, by ARN; absent if there are none. */
      readonly calendars?: readonly string[];
      /** ARNs of the alarms that halt it, by campaign; absent if there are none. */
      readonly haltOn?: Readonly<Record<string, readonly string[]>>;
      /** By run: its campaign is expected to show a start within this long. */
      readonly confirmWithin: Readonly<Record<string, string>>;
    };
  readonly 'answer-questions': Pick<
    ResolvedAutomation,
    | 'stage'
    | 'mode'
    | 'timezone'
    | 'gateway'
    | 'runs'
    | 'blackouts'
    | 'packageWatches'
    | 'projectWatches'
    | 'datasetRules'
  > &
    Paced &
    MakesUp & {
      /** A webhook by its name and kind alone: no worker needs to know which secret holds its address. */
      readonly notify: Omit<ResolvedAutomation['notify'], 'webhooks'> & {
        readonly webhooks: readonly Pick<WebhookDocument, 'name' | 'kind'>[];
      };
    };
}

/** A schedule whose missed starts are made up for once. */
export interface MissedSchedule extends Pick<ResolvedSchedule, 'expression' | 'timezone' | 'startDate'> {
  /** How long after its time. */
  readonly within: string;
}

/** By schedule; absent if there is none. */
interface MakesUp {
  readonly missedOnce?: Readonly<Record<string, MissedSchedule>>;
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

/** How fast one environment of a function may call the gateway: its rate divided by the mapping's maximum concurrency. */
interface Paced {
  readonly requestsPerSecond: number;
}

/** The part of one function. */
export type ConfigPart<Name extends FunctionName> = ConfigParts[Name];
