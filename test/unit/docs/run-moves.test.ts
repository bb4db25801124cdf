import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runMoves } from '#shared/ledger/run-moves.ts';
import { freshLedgerDocument, ledgerPath } from './documents/run-moves.ts';

test('docs/ledger.md shows every move of a run as the code has it (npm run docs:ledger)', async () => {
  expect(await readFile(ledgerPath, 'utf8')).toBe(await freshLedgerDocument());
});

test('every state of a run can be entered and left', () => {
  const states = ['idle', 'starting', 'start-unknown', 'running', 'stopping', 'stop-unknown'];

  expect([...new Set(runMoves.map(({ from }) => from))].toSorted()).toEqual(states.toSorted());
  expect(states.filter((state) => runMoves.some(({ to }) => to === state))).toEqual(states);
});
