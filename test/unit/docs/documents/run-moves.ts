import { readFile } from 'node:fs/promises';
import { runMoves } from '#shared/ledger/run-moves.ts';
import { replaceBetween } from './between-marks.ts';

/** The page that shows the moves of a run. */
export const ledgerPath = 'docs/reference/ledger.md';

/** The page as it has to read: the table between its marks comes from the code. */
export async function freshLedgerDocument(): Promise<string> {
  const part = { name: 'moves of a run', command: 'npm run docs -- ledger' };
  return replaceBetween(await readFile(ledgerPath, 'utf8'), part, table());
}

function table(): string {
  const rows = runMoves.map(({ from, on, to, so }) => `| \`${from}\` | ${on} | ${stateName(to)} | ${so} |`);
  return ['| state | event | next state | with it |', '|---|---|---|---|', ...rows].join('\n').concat('\n');
}

function stateName(to: string): string {
  return to === 'before' ? 'the state before it' : `\`${to}\``;
}
