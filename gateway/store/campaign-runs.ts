/**
 * What the gateway makes of a run's status words. The interface lists none, so everything is
 * permitted by default.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CampaignResource, CampaignRun, CampaignRunChange, Transition } from '../model/resources.ts';
import { documentOf, DocumentTable, inTransaction } from './database.ts';

/** Settings of {@link StatusPolicy}; every one has a permissive default. */
export interface RunPolicyOptions {
  /** The only words a PATCH may send. @default any word that is not empty */
  readonly statuses?: readonly string[];
  /**
   * Words that mean "started": a change to one of them counts as a run of the campaign. @default
   * running, in_progress, started
   */
  readonly startStatuses?: readonly string[];
  /** Words that mean "over". @default complete, completed, finished, failed, cancelled */
  readonly finishedStatuses?: readonly string[];
  /** Whether a run that is over may start again. @default true */
  readonly allowRestart?: boolean;
}

/** {@link RunPolicyOptions} with the defaults filled in. */
export interface StatusPolicy {
  readonly statuses: readonly string[] | undefined;
  readonly startStatuses: readonly string[];
  readonly finishedStatuses: readonly string[];
  readonly allowRestart: boolean;
}

/** Fills in the defaults. */
export function runPolicy(options: RunPolicyOptions = {}): StatusPolicy {
  return {
    statuses: options.statuses,
    startStatuses: options.startStatuses ?? ['running', 'in_progress', 'started'],
    finishedStatuses: options.finishedStatuses ?? ['complete', 'completed', 'finished', 'failed', 'cancelled'],
    allowRestart: options.allowRestart ?? true,
  };
}

/**
 * Whether this change of status starts the run (a run that is going already does not start again).
 */
export function isStart(policy: StatusPolicy, from: string, to: string): boolean {
  return policy.startStatuses.includes(to) && !policy.startStatuses.includes(from);
}

/** Whether the change would start a run that is over, if the gateway is set to refuse that. */
export function isRestartRefused(policy: StatusPolicy, from: string, to: string | undefined): boolean {
  return (
    !policy.allowRestart &&
    to !== undefined &&
    policy.finishedStatuses.includes(from) &&
    policy.startStatuses.includes(to)
  );
}

// Campaign runs with every change that was ever accepted, so that a test can count effects and not
// answers.

/** Who changes a run, when, and what exactly was sent. */
export interface ChangeContext {
  readonly at: Date;
  readonly requestId: string;
  readonly by: Transition['by'];
  readonly body: unknown;
}

/** The run after the change, or that its present status forbids the change. */
export type ChangeResult = { readonly run: CampaignRun } | { readonly refused: CampaignRun };

/** Runs, their transitions, and the campaign's count of starts: changed together or not at all. */
export class CampaignRuns {
  readonly table: DocumentTable<CampaignRun>;
  readonly #database: DatabaseSync;
  readonly #campaigns: DocumentTable<CampaignResource>;
  readonly #policy: StatusPolicy;
  readonly #insertTransition: StatementSync;
  readonly #transitions: StatementSync;

  constructor(database: DatabaseSync, campaigns: DocumentTable<CampaignResource>, policy: StatusPolicy) {
    this.#database = database;
    this.#campaigns = campaigns;
    this.#policy = policy;
    this.table = new DocumentTable(database, 'campaign_runs');
    this.#insertTransition = database.prepare('INSERT INTO transitions (run, document) VALUES (?, ?)');
    this.#transitions = database.prepare('SELECT document FROM transitions WHERE run = ? ORDER BY seq');
  }

  /** Applies a change to `run` and records it. A start also counts at the run's campaign. */
  change(run: CampaignRun, change: CampaignRunChange, context: ChangeContext): ChangeResult {
    if (isRestartRefused(this.#policy, run.status, change.status)) return { refused: run };
    const changed = { ...run, ...change };
    const transition: Transition = {
      at: context.at.toISOString(),
      requestId: context.requestId,
      by: context.by,
      from: run.status,
      to: changed.status,
      body: context.body,
    };
    inTransaction(this.#database, () => {
      this.table.put(changed);
      this.#insertTransition.run(run.id, JSON.stringify(transition));
      if (isStart(this.#policy, run.status, changed.status)) this.#countStart(changed, transition.at);
    });
    return { run: changed };
  }

  transitions(runId: string): Transition[] {
    return this.#transitions.all(runId).map((row): Transition => JSON.parse(documentOf(row)));
  }

  #countStart(run: CampaignRun, at: string): void {
    const campaign = this.#campaigns.get(run.campaignId);
    if (campaign === undefined) return;
    this.#campaigns.put({ ...campaign, lastRun: run.id, lastRunAt: at, runCount: campaign.runCount + 1 });
  }
}
