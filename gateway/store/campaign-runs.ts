/** Campaign runs with every change that was ever accepted, so that a test can count effects and not answers. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Campaign, CampaignRun, CampaignRunChange, Transition } from '../resources.ts';
import { isStart, isRestartRefused } from '../run-policy.ts';
import type { RunPolicy } from '../run-policy.ts';
import { inTransaction } from './database.ts';
import { DocumentTable, documentOf } from './document-table.ts';

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
  readonly #campaigns: DocumentTable<Campaign>;
  readonly #policy: RunPolicy;
  readonly #insertTransition: StatementSync;
  readonly #transitions: StatementSync;

  constructor(database: DatabaseSync, campaigns: DocumentTable<Campaign>, policy: RunPolicy) {
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
