/** Scanner packages, held parsed in memory beside the table: a listing reads all of them on every page. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredScannerPackage } from '../resources.ts';
import { DocumentTable } from './document-table.ts';

/** Written through to the database, read from memory. One gateway owns its file. */
export class ScannerPackages {
  readonly #table: DocumentTable<StoredScannerPackage>;
  readonly #byId = new Map<string, StoredScannerPackage>();

  constructor(database: DatabaseSync) {
    this.#table = new DocumentTable(database, 'scanner_packages');
    for (const scannerPackage of this.#table.all()) this.#byId.set(scannerPackage.id, scannerPackage);
  }

  get(id: string): StoredScannerPackage | undefined {
    return this.#byId.get(id);
  }

  all(): StoredScannerPackage[] {
    return [...this.#byId.values()];
  }

  put(scannerPackage: StoredScannerPackage): void {
    this.#table.put(scannerPackage);
    this.#byId.set(scannerPackage.id, scannerPackage);
  }

  /** True where there was something to delete. */
  delete(id: string): boolean {
    this.#byId.delete(id);
    return this.#table.delete(id);
  }
}
