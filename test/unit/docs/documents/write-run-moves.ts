import { writeFile } from 'node:fs/promises';
import { freshLedgerDocument, ledgerPath } from './run-moves.ts';

/** `npm run docs:ledger`: writes the table of a run's moves in docs/reference/ledger.md again. */
await writeFile(ledgerPath, await freshLedgerDocument());
