import type { DatasetRuleDocument } from './dataset-rule-document.ts';
import type { Deployment, Notify } from './deployment.ts';

/** One stage's whole automation. */
export interface AutomationDocument {
  /** The gateway that this stage works with. */
  readonly gateway: GatewayDocument;
  /** `observe`: everything is read and judged; nothing is started, stopped or registered. `autopilot history` says what would have been. Watch a week of it before you trust a token. @default 'act' */
  readonly mode?: 'act' | 'observe';
  /** IANA zone that schedules, dates in names, months of a budget and summaries use. */
  readonly timezone: string;
  /** Campaigns by a name of your own. Run names are unique over all campaigns. */
  readonly campaigns: Readonly<Record<string, CampaignDocument>>;
  /** Starts and stops at their times. @default none */
  readonly schedules?: readonly ScheduleDocument[];
  /** Times at which no start is sent, of any origin. @default none */
  readonly blackouts?: readonly BlackoutDocument[];
  /** Scanner package listings to watch. @default none */
  readonly scannerPackages?: readonly PackageWatchDocument[];
  /** Configurations of projects to watch: a new version of a scanner shows there. @default none */
  readonly projects?: readonly ProjectWatchDocument[];
  /** Rules for objects under `datasets/`; the longest matching prefix decides. @default none */
  readonly datasets?: readonly DatasetRuleDocument[];
  /** Where alarms and notices go. @default nowhere: subscribe to the stage's topic */
  readonly notify?: Notify;
  /** The rules of the AWS account that the stage is deployed into; a stage on one machine takes nothing of it. @default none */
  readonly deployment?: Deployment;
}

/** The gateway, and its own words. */
export interface GatewayDocument {
  /** Exact origin; https unless it is loopback (then only for the local stages). Redirects are never followed. */
  readonly baseUrl: string;
  /** File with the certificates (PEM) of the authorities that vouch for this gateway, from this file's folder. They ship with the functions, and are trusted for this gateway alone, instead of the public ones. @default the public ones */
  readonly caBundle?: string;
  /** The outbound proxy that every request to the gateway goes through, `http://proxy.example.com:3128`: it sees host and port, the rest is between function and gateway. No credentials. A gateway on this machine is reached without it. @default none */
  readonly proxy?: string;
  /** This gateway's status words. @default a run is started by its `startAt` and stopped by `cancelled` */
  readonly status?: {
    /** The word of a PATCH that starts a run: only for a gateway that wants one. @default none: `startAt` alone starts a run */
    readonly start?: string;
    /** The word of a PATCH that stops a run. @default 'cancelled' */
    readonly stop?: string;
  };
  /** How far ahead of now a `startAt` is at least: it has to reach the gateway before it. @default '1 minute' */
  readonly startLead?: string;
  /** Requests a second, over all workers of a kind. The gateway must allow `runs` + `reads` together: a start makes one of each. The two are 1 s ÷ an environment's share of that sum apart. @default each as below */
  readonly requestsPerSecond?: {
    /** POST of datasets, at least 0.1. @default 4 */
    readonly datasets?: number;
    /** PATCH of runs, at least 0.4. @default 0.5 */
    readonly runs?: number;
    /** GET of campaigns, projects and listings, at least 0.1. @default 2 */
    readonly reads?: number;
  };
  /** Texts (parts of them) of a refusal that mean "it is so already". @default none */
  readonly alreadyInState?: {
    /** Of the start of a run: it counts as applied while another request of it has no answer. @default none */
    readonly start?: readonly string[];
    /** Of the stop of a run: it counts as stopped. @default none */
    readonly stop?: readonly string[];
  };
  /**
   * Of a gateway with a word for `status.start`: a start of a run that runs or has run changes nothing there. A start without an answer is then
   * sent again. If this is wrong, it runs twice. A gateway that starts by `startAt` alone begins a run once, so there it is always so.
   * @default false
   */
  readonly startsRepeatSafely?: boolean;
  /** The gateway has `GET /backend/v1/campaign-runs/{id}`, which is not in the interface: each run in flight is read, and ends as the gateway says. @default false */
  readonly readsRuns?: boolean;
  /**
   * The gateway has `POST /backend/v1/campaign-schedules` and `GET /backend/v1/campaign-runs`, which are not in the interface: Autopilot makes
   * the runs of each run that has `providerIds`, and lists them. The token must be allowed to make schedules. @default false
   */
  readonly makesRuns?: boolean;
  /** Statuses after which this gateway has not made the dataset, by its vendor's word. Such a POST is repeated; otherwise it is parked POST_OUTCOME_UNKNOWN. A wrong one here makes datasets twice. @default none */
  readonly postMayRepeatOn?: readonly number[];
  /** How this gateway takes scanner versions: as an array, as comma-separated text, or as a JSON array in a text. @default 'array' */
  readonly scannerVersionsAs?: 'array' | 'comma-separated' | 'json-text';
}

/** A campaign at the gateway and the runs that we start of it. */
export interface CampaignDocument {
  /** Its uuid: without it nothing can be read back. @default unknown */
  readonly campaignId?: string;
  /** The project that it attacks: its configuration is part of a run's evidence, and a run during which it drifts is not comparable. @default none */
  readonly project?: string;
  /** A start while a run of this campaign is in flight: skipped, let through, or sent after that run was stopped. @default skip */
  readonly overlap?: 'skip' | 'stop-previous' | 'allow';
  /** Campaigns that attack the same system name the same target and so share overlap. @default the campaign alone */
  readonly target?: string;
  /** A run without a `stopAfter` counts as in flight for this long. Required unless every run has a `stopAfter`. @default none */
  readonly longestRun?: string;
  /** Least time between starts, by-hand ones included. Needs `campaignId`. @default none */
  readonly minimumGap?: string;
  /** Most starts of a calendar month in the stage's timezone: each costs money. @default no limit */
  readonly startsPerMonth?: number;
  /** ARNs of at most five CloudWatch alarms of the target, in the stage's account and region. While one is in ALARM, no start of the campaign is sent, and its runs in flight are stopped. @default none */
  readonly haltOn?: readonly string[];
  /**
   * Whether an event reports a start that the campaign does not show within `confirmWithin`. It shows one by its `lastRun`, or by its `lastRunAt`.
   * @default true with a `campaignId`, else false
   */
  readonly confirm?: boolean;
  /** How long after the start that sign is looked for. @default '30 minutes' */
  readonly confirmWithin?: string;
  /** Its runs by a name of your own. */
  readonly runs: Readonly<Record<string, RunDocument>>;
}

/** A named run: each start uses one id, of its list or of the runs that Autopilot makes. */
export interface RunDocument {
  /** Runs that are scheduled far ahead at the gateway; each start uses one, in this order. `autopilot bind` adds more without a deployment. @default none: bound ids alone */
  readonly campaignRunIds?: readonly string[];
  /** One to five providers that the runs attack which Autopilot makes ahead; needs `gateway.makesRuns` and the campaign's `campaignId`. @default none: no runs are made */
  readonly providerIds?: readonly string[];
  /** How many unused runs are kept ready, 1 to 50; needs `providerIds`. @default what its schedules start in 14 nights, and two more: 5 to 50 */
  readonly keepReady?: number;
  /** A start plans its own stop this long after the instant of effect. @default none (`longestRun` is then required) */
  readonly stopAfter?: string;
  /** Name to give the run at its start, 1 to 100 characters; `{date}` is the local date of the start. @default unchanged */
  readonly name?: string;
  /** Sent with the start, so that the gateway keeps the run's data. `true`, or a text for a gateway that wants one. @default not sent */
  readonly preserve?: boolean | string;
  /** When the score of a complete run is low, a finding (SCORE_LOW). The gateway has to be read for it (`gateway.readsRuns`). @default no score is judged */
  readonly score?: ScoreDocument;
}

/** Limits of a score, 0 to 100; higher is better. At least one of the two. */
export interface ScoreDocument {
  /** A complete run with less is low. @default none */
  readonly atLeast?: number;
  /** A complete run that is further below the median of up to five complete ones before it is low, from the third complete run on. @default none */
  readonly mayFallBy?: number;
}

/** When to start or stop a run; exactly one of `start` and `stop`. */
export interface ScheduleDocument {
  /** Names it in EventBridge Scheduler, `autopilot pause` and the ledger. */
  readonly name: string;
  /** The run to start. @default none: then `stop` */
  readonly start?: string;
  /** The run to stop. @default none: then `start` */
  readonly stop?: string;
  /** EventBridge Scheduler expression: `cron(…)`, `rate(…)` or `at(…)`. */
  readonly at: string;
  /** IANA zone of `at`. @default the stage's timezone */
  readonly timezone?: string;
  /** A start later than this is skipped as MISSED_WINDOW; starts only. @default '1 hour' */
  readonly validFor?: string;
  /**
   * `'once'`: a start that came too late is made up for once, by the newest occurrence. Its run is then due as it is sent, and overlap and gap
   * are waited for; starts only. @default it is skipped
   */
  readonly missed?: 'once';
  /** How long after its time a missed start is made up for, at most a day. Needs `missed`. @default '12 hours' */
  readonly missedWithin?: string;
  /** The PATCH leaves at once and the gateway starts the run this much later (`startAt`); starts only. @default none */
  readonly startDelay?: string;
  /** RFC 3339 instant before which nothing fires; required for a start by `rate()`, which else fires at its creation. @default none */
  readonly startDate?: string;
  /** Whether it fires. @default true */
  readonly enabled?: boolean;
  /** Occurrences in a row without a start after which it rings; starts only. @default notify.silentAfter */
  readonly silentAfter?: number;
}

/**
 * A time at which nothing is started: once (`from`, `to`), again and again (`at`, `lasts`), or on whole days (`dates`). A stop passes every
 * blackout.
 * @example { name: 'change freeze', calendar: 'arn:aws:ssm:eu-west-1:123456789012:document/change-freeze', starts: 'defer' }
 * @example { name: 'year-end freeze', from: '2026-12-19T00:00', to: '2027-01-04T00:00' }
 * @example { name: 'holidays', dates: ['2026-12-24', '2026-12-25'] }
 * @example { name: 'bank holidays', calendar: 'bank-holidays.ics' }
 * @example { name: 'office hours', at: 'cron(0 8 ? * MON-FRI *)', lasts: '10 hours', starts: 'defer' }
 */
export interface BlackoutDocument {
  /** Names it in what is recorded about a start. */
  readonly name: string;
  /** Local date and time in `timezone`: `2026-12-19T00:00`. @default none: then `at` */
  readonly from?: string;
  /** Local date and time at which it is over. @default none: then `lasts` */
  readonly to?: string;
  /** `cron(…)`: each time at which it begins. @default none: then `from` */
  readonly at?: string;
  /** How long it lasts from each of them. @default none: then `to` */
  readonly lasts?: string;
  /** A calendar that others keep. An iCalendar file, from this file's folder: its events are read at synth, so a new file needs a deployment. Or the ARN of a Change Calendar of Systems Manager, which is read each minute. @default none */
  readonly calendar?: string;
  /** Whole days in `timezone`, each as `2026-12-24`. @default none: then `from` or `at` */
  readonly dates?: readonly string[];
  /** IANA zone of its times. @default the stage's timezone */
  readonly timezone?: string;
  /** What becomes of a start: skipped, or sent at its end (its validity begins there, one start per run). @default skip */
  readonly starts?: 'skip' | 'defer';
  /** Campaigns that it is about. @default all */
  readonly campaigns?: readonly string[];
}

/** A scanner package listing of at most 5,000 packages that is walked regularly and compared with the last walk. */
export interface PackageWatchDocument {
  /** Names the watch and its schedule. */
  readonly name: string;
  /** Period of the walk. */
  readonly every: string;
  /** Filters of the listing, as the interface names them. @default none */
  readonly filters?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** What to start on which change. @default report only */
  readonly onChange?: readonly PackageChangeRuleDocument[];
  /** Starts wait until nothing has changed for this long, so that changes that land together start a run once; 'none': at once. @default '10 minutes' */
  readonly settle?: string;
}

/** A change that starts a run. Patterns may hold `*`; every given one must match. */
export interface PackageChangeRuleDocument {
  /** What must be so of a change. An empty one matches every change. */
  readonly match: {
    /** Name of the package. @default any */
    readonly name?: string;
    /** Id of the package. @default any */
    readonly id?: string;
    /** Direction of the package. @default any */
    readonly direction?: string;
    /** Source of the package. @default any */
    readonly source?: string;
    /** A field that changed, such as `scannerIds`; `availableUpdate`: an update waits now. @default any */
    readonly field?: string;
    /** What happened to the package. @default any kind */
    readonly kind?: 'added' | 'changed' | 'removed';
  };
  /** The run to start. */
  readonly start: string;
}

/** A project whose configuration is read regularly and compared with the last look. */
export interface ProjectWatchDocument {
  /** Id or name of the project at the gateway. */
  readonly project: string;
  /** Names its schedule. @default the project, if that can be a name */
  readonly name?: string;
  /** Period of the look. */
  readonly every: string;
  /** What to start on which change. @default report only */
  readonly onChange?: readonly ProjectChangeRuleDocument[];
  /** Read the deprecated endpoints of this group or chatbot once a day, and report those that are still in use. @default not read */
  readonly endpoints?: {
    /** Id of the group. @default any */
    readonly groupId?: string;
    /** Id of the chatbot. @default any */
    readonly chatbotId?: string;
  };
}

/** A change of a project's configuration that starts a run. */
export interface ProjectChangeRuleDocument {
  /** What must be so of a change. An empty one matches every change. */
  readonly match: {
    /** The changed field; `*`: anything. `scanners.*.version`, `packages.*`. @default anywhere */
    readonly field?: string;
    /** What happened there. @default any kind */
    readonly kind?: 'added' | 'changed' | 'removed';
  };
  /** The run to start. */
  readonly start: string;
}

/** Checks a document's shape in the editor; it is read and checked in full at synth. */
export function defineAutomation(document: AutomationDocument): AutomationDocument {
  return document;
}

/** The stages of a configuration file, each a whole document; the file's default export. */
export function defineStages<const Stages extends Readonly<Record<string, AutomationDocument>>>(
  stages: Stages,
): Stages {
  return stages;
}
