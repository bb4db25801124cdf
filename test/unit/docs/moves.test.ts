import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { moves } from '../../builders/moves.ts';
import { freshLedgerDocument, ledgerPath } from './documents/run-moves.ts';

test('docs/reference/ledger.md shows every move of a run as the code has it (npm run docs -- ledger)', async () => {
  expect(await readFile(ledgerPath, 'utf8')).toBe(await freshLedgerDocument());
});

test('the table of a run has each line once, in order, and at most 22 of them', () => {
  const rows = moves.flatMap(({ moves: ofEvent }) => ofEvent.map(({ row }) => row));

  expect(rows).toEqual(rows.map((_row, index) => index + 1));
  expect(rows.length).toBeLessThanOrEqual(22);
});
