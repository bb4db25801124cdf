/** Everything the gateway remembers, behind one object that the operations are handed. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  CampaignResource,
  CampaignConfig,
  Config,
  Dataset,
  EndpointResource,
  ProjectResource,
  StoredScannerPackage,
} from '../model/resources.ts';
import { CampaignRuns } from './campaign-runs.ts';
import { documentOf, DocumentTable, inTransaction, openGatewayDatabase, takeDatabaseFile } from './database.ts';
import { RequestLog } from './request-log.ts';
import type { RunRules } from './run-rules.ts';

/**
 * The gateway's state. Reads and writes are synchronous, so a request's effect is one step that
 * nothing interrupts.
 */
export class Store {
  readonly #database: DatabaseSync;
  readonly #releaseFile: () => void;
  readonly projects: DocumentTable<ProjectResource>;
  readonly projectConfigs: History<Config>;
  readonly endpoints: DocumentTable<EndpointResource>;
  readonly campaigns: DocumentTable<CampaignResource>;
  readonly campaignConfigs: History<CampaignConfig>;
  readonly campaignRuns: CampaignRuns;
  readonly scannerPackages: DocumentTable<StoredScannerPackage>;
  readonly datasets: DocumentTable<Dataset>;
  readonly requests: RequestLog;

  constructor(path: string, rules: RunRules) {
    this.#releaseFile = takeDatabaseFile(path);
    try {
      this.#database = openGatewayDatabase(path);
    } catch (error) {
      this.#releaseFile();
      throw error;
    }
    this.projects = new DocumentTable(this.#database, 'projects');
    this.projectConfigs = new History(this.#database);
    this.endpoints = new DocumentTable(this.#database, 'endpoints');
    this.campaigns = new DocumentTable(this.#database, 'campaigns');
    this.campaignConfigs = new History(this.#database);
    this.campaignRuns = new CampaignRuns(this.#database, this.campaigns, rules);
    this.scannerPackages = new DocumentTable(this.#database, 'scanner_packages');
    this.datasets = new DocumentTable(this.#database, 'datasets');
    this.requests = new RequestLog(this.#database);
  }

  /** Nothing was ever put in: the seed may go in. */
  get isEmpty(): boolean {
    return this.projects.isEmpty;
  }

  /** The project with this id, else the one with this name. */
  findProject(idOrName: string): ProjectResource | undefined {
    return this.projects.get(idOrName) ?? this.projects.all().find((project) => project.name === idOrName);
  }

  /** Several changes as one. */
  atomically<T>(work: () => T): T {
    return inTransaction(this.#database, work);
  }

  close(): void {
    this.#database.close();
    this.#releaseFile();
  }
}

// What something was set to at any earlier instant: the answer to `configAt`.

/**
 * Versions of a configuration by subject (a project's or campaign's id), each valid from its
 * instant on.
 */
export class History<T> {
  readonly #insert: StatementSync;
  readonly #at: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO history (subject, at, document) VALUES (?, ?, ?)');
    this.#at = database.prepare(
      'SELECT document FROM history WHERE subject = ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT 1',
    );
  }

  record(subject: string, at: Date, version: T): void {
    this.#insert.run(subject, at.getTime(), JSON.stringify(version));
  }

  /** The version in force at that instant; nothing if the subject did not exist yet. */
  at(subject: string, instant: Date): T | undefined {
    const row = this.#at.get(subject, instant.getTime());
    return row === undefined ? undefined : JSON.parse(documentOf(row));
  }
}
