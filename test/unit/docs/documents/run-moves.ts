import { readFile } from 'node:fs/promises';
import { moves } from '../../../builders/moves.ts';
import { replaceBetween } from './between-marks.ts';

/** The page that shows the table by which commands about runs are decided. */
export const ledgerPath = 'docs/reference/ledger.md';

/** The page as it has to read: the table between its marks comes from the code. */
export async function freshLedgerDocument(): Promise<string> {
  const part = { name: 'moves of a run', command: 'npm run docs -- ledger' };
  return replaceBetween(await readFile(ledgerPath, 'utf8'), part, table());
}

function table(): string {
  const lines = moves.flatMap(({ event, moves: ofEvent }) => [
    `| | **${event}** | | | |`,
    ...ofEvent.map(({ row, on, to, sends, ends }) => `| ${row} | ${on} | ${to} | ${sends} | ${ends} |`),
  ]);
  return ['| | event, and the entry | entry becomes | is sent | outcome, or wait |', '|---|---|---|---|---|', ...lines]
    .join('\n')
    .concat('\n');
}
