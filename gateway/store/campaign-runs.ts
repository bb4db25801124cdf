/**
 * Campaign runs with every accepted change, and all that they did by themselves. So a test can count
 * effects and not answers.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CampaignResource, CampaignRun, CampaignRunChange, Transition } from '../model/resources.ts';
import { documentOf, DocumentTable, inTransaction } from './database.ts';
import type { RunRules, RunStep } from './run-rules.ts';

/** Who changes a run, when, and what exactly was sent. */
type ChangeContext = Pick<Transition, 'by' | 'requestId' | 'body'> & { readonly at: Date };

/** Runs, their transitions, and the campaign's count of starts: changed together or not at all. */
export class CampaignRuns {
  readonly #table: DocumentTable<CampaignRun>;
  readonly #database: DatabaseSync;
  readonly #campaigns: DocumentTable<CampaignResource>;
  readonly #rules: RunRules;
  readonly #insertTransition: StatementSync;
  readonly #transitions: StatementSync;

  constructor(database: DatabaseSync, campaigns: DocumentTable<CampaignResource>, rules: RunRules) {
    this.#database = database;
    this.#campaigns = campaigns;
    this.#rules = rules;
    this.#table = new DocumentTable(database, 'campaign_runs');
    this.#insertTransition = database.prepare('INSERT INTO transitions (run, document) VALUES (?, ?)');
    this.#transitions = database.prepare('SELECT document FROM transitions WHERE run = ? ORDER BY seq');
  }

  /** Puts a run in as it is: for the seed. */
  put(run: CampaignRun): void {
    this.#table.put(run);
  }

  /** The run as it is at this time. */
  get(id: string, now: Date): CampaignRun | undefined {
    this.settle(now);
    return this.#table.get(id);
  }

  /** All runs as they are at this time, in the order in which they were made. */
  all(now: Date): CampaignRun[] {
    this.settle(now);
    return this.#table.all();
  }

  /** Lets every run do what its time has come for, in the order of those times. */
  settle(now: Date): void {
    const steps = this.#table
      .all()
      .flatMap((run) => stepsOf(this.#rules, run, now))
      .toSorted((a, b) => a.at.getTime() - b.at.getTime());
    if (steps.length === 0) return;
    inTransaction(this.#database, () => {
      for (const { at, run, from } of steps)
        this.#write(run, { at: at.toISOString(), requestId: null, by: 'gateway', from, to: run.status, body: null });
    });
  }

  /**
   * Applies a change to `run` and records it; nothing if the run's status forbids it. A start also
   * counts at the run's campaign.
   */
  change(run: CampaignRun, change: CampaignRunChange, { at, by, ...rest }: ChangeContext): CampaignRun | undefined {
    const changed = this.#rules.change(run, change, { at, by });
    if (changed === undefined) return undefined;
    const transition = { at: at.toISOString(), by, from: run.status, to: changed.status, ...rest };
    inTransaction(this.#database, () => this.#write(changed, transition));
    return changed;
  }

  transitions(runId: string): Transition[] {
    return this.#transitions.all(runId).map((row): Transition => JSON.parse(documentOf(row)));
  }

  #write(run: CampaignRun, transition: Transition): void {
    this.#table.put(run);
    this.#insertTransition.run(run.id, JSON.stringify(transition));
    if (this.#rules.begins(transition.from, transition.to)) this.#countStart(run, transition.at);
  }

  #countStart(run: CampaignRun, at: string): void {
    const campaign = this.#campaigns.get(run.campaignId);
    if (campaign === undefined) return;
    this.#campaigns.put({ ...campaign, lastRun: run.id, lastRunAt: at, runCount: campaign.runCount + 1 });
  }
}

/** All that a run has done by itself until now: it may have begun and ended since the last request. */
function stepsOf(rules: RunRules, run: CampaignRun, now: Date): (RunStep & { readonly from: string })[] {
  const step = rules.next(run, now);
  return step === undefined ? [] : [{ ...step, from: run.status }, ...stepsOf(rules, step.run, now)];
}
