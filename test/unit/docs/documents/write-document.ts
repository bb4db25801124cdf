import { writeFile } from 'node:fs/promises';
import { architecturePath, freshArchitectureDocument } from '../../../infra/architecture/architecture-document.ts';
import { freshSecurityDocument, securityPath } from '../../../infra/security/security-document.ts';
import { configurationPath, freshConfigurationDocument } from './configuration-document.ts';
import { eventsPath, freshEventsDocument } from './events-document.ts';
import { freshLedgerDocument, ledgerPath } from './run-moves.ts';

/**
 * `npm run docs:NAME`: writes again what is made of a document. Read the difference: it is what readers stand on, what a person may do and what is
 * connected since.
 */
const documents: Readonly<Record<string, readonly [path: string, fresh: () => Promise<string>]>> = {
  architecture: [architecturePath, freshArchitectureDocument],
  configuration: [configurationPath, freshConfigurationDocument],
  events: [eventsPath, freshEventsDocument],
  ledger: [ledgerPath, freshLedgerDocument],
  security: [securityPath, freshSecurityDocument],
};

const [name = ''] = process.argv.slice(2);
const made = documents[name];
if (made === undefined) throw new Error(`no document "${name}"; there are: ${Object.keys(documents).join(', ')}`);
const [path, fresh] = made;
await writeFile(path, await fresh());
