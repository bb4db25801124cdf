import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parkReasons, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import { guards } from '#shared/guards/guards.ts';
import { sectionOf } from './documents/markdown.ts';
import { runMoves } from '#shared/ledger/run-moves.ts';
import { freshLedgerDocument, ledgerPath } from './documents/run-moves.ts';
import { readFile } from 'node:fs/promises';

test('docs/reference/ledger.md shows every move of a run as the code has it (npm run docs -- ledger)', async () => {
  expect(await readFile(ledgerPath, 'utf8')).toBe(await freshLedgerDocument());
});

test('every state of a run can be entered and left', () => {
  const states = ['idle', 'starting', 'start-unknown', 'running', 'stopping', 'stop-unknown'];

  expect([...new Set(runMoves.map(({ from }) => from))].toSorted()).toEqual(states.toSorted());
  expect(states.filter((state) => runMoves.some(({ to }) => to === state))).toEqual(states);
});

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'architecture.md'), 'utf8');
const codes = Object.keys({ ...parkReasons, ...skipReasons });

/** Codes of stops, updates, plans, polls and dead letters alone. */
const ofOthers = new Set(['BAD_PLAN', 'CURSOR_LOOP', 'NOTHING_TO_STOP', 'NOTHING_TO_UPDATE', 'WORKER_DIED']);

test('"How a start ends" and "How an upload ends" name each reason of theirs, and no other', () => {
  const named = ['How a start ends', 'How an upload ends'].flatMap((heading) =>
    [...sectionOf(page, heading).matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(([, code = '']) => code),
  );

  // docs/guards.md names what the guards say.
  const ofGuards = new Set<string>(guards.map(({ reason }) => reason));
  const expected = codes.filter((code) => !ofOthers.has(code) && !ofGuards.has(code));

  expect([...new Set(named)].toSorted()).toEqual(expected.toSorted());
});
