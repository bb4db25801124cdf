import { writeFile } from 'node:fs/promises';
import { freshRunbook, runbookPath } from '../../../infra/alarms/runbook-document.ts';
import { freshSecurityDocument, securityPath } from '../../../infra/security/security-document.ts';
import { freshLimitsDocument, limitsPath } from '../../../bench/limits/limits-document.ts';
import { freshReliabilityDocument, reliabilityPath } from '../../../faults/catalogue/promises.ts';
import { configurationPath, freshConfigurationDocument } from './configuration-document.ts';
import { eventsPath, freshEventsDocument } from './events-document.ts';
import { freshGuardsDocument, guardsPath } from './guards-samples.ts';
import { freshLedgerDocument, ledgerPath } from './run-moves.ts';

const help = `npm run docs -- NAME: writes again what is made of a document. Read the difference: it is what readers stand on.

  configuration  the settings of docs/reference/configuration.md, of their types
  events         the tables and examples of docs/reference/events.md, of the schemas and the workers
  guards         what docs/guards.md shows of the command line and the synthesis
  ledger         the moves of a run in docs/reference/ledger.md, of the code
  limits         the budgets of docs/reference/limits.md, of the code, the quotas and the templates
  reliability    the files that hold each promise of docs/reference/reliability.md, of the tests
  runbook        the text of the alarm or the reason on each page of docs/runbook.md
  security       the tables of docs/security.md, of the templates
  pictures       the pictures of the console that README shows; needs a browser
  --help         this text
`;

const documents: Readonly<Record<string, readonly [path: string, fresh: () => Promise<string>]>> = {
  configuration: [configurationPath, freshConfigurationDocument],
  events: [eventsPath, freshEventsDocument],
  guards: [guardsPath, freshGuardsDocument],
  ledger: [ledgerPath, freshLedgerDocument],
  limits: [limitsPath, freshLimitsDocument],
  reliability: [reliabilityPath, freshReliabilityDocument],
  runbook: [runbookPath, freshRunbook],
  security: [securityPath, freshSecurityDocument],
};

async function main(name: string): Promise<void> {
  const made = documents[name];
  if (name === '--help') process.stdout.write(help);
  else if (name === 'pictures') await import('../../../pictures/make-pictures.ts');
  else if (made !== undefined) await writeFile(made[0], await made[1]());
  else {
    process.stderr.write(`there is no document "${name}"\n\n${help}`);
    process.exitCode = 2;
  }
}

const [name = '--help'] = process.argv.splice(2, 1);
await main(name);
