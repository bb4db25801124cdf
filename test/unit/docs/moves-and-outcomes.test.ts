import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parkReasons, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import { guards } from '#shared/guards/guards.ts';
import { sectionOf } from './documents/markdown.ts';
import { moves } from '../../builders/moves.ts';
import { freshLedgerDocument, ledgerPath } from './documents/run-moves.ts';
import { readFile } from 'node:fs/promises';

test('docs/reference/ledger.md shows every move of a run as the code has it (npm run docs -- ledger)', async () => {
  expect(await readFile(ledgerPath, 'utf8')).toBe(await freshLedgerDocument());
});

test('the table of a run has each line once, in order, and at most 22 of them', () => {
  const rows = moves.flatMap(({ moves: ofEvent }) => ofEvent.map(({ row }) => row));

  expect(rows).toEqual(rows.map((_row, index) => index + 1));
  expect(rows.length).toBeLessThanOrEqual(22);
});

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'architecture.md'), 'utf8');
const codes = Object.keys({ ...parkReasons, ...skipReasons });

/** Codes of stops and dead letters alone. */
const ofOthers = new Set(['NOTHING_TO_STOP', 'WORKER_DIED']);

test('"How a start ends" and "How an upload ends" name each reason of theirs, and no other', () => {
  const named = ['How a start ends', 'How an upload ends'].flatMap((heading) =>
    [...sectionOf(page, heading).matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(([, code = '']) => code),
  );

  // docs/guards.md names what the guards say.
  const ofGuards = new Set<string>(guards.map(({ reason }) => reason));
  const expected = codes.filter((code) => !ofOthers.has(code) && !ofGuards.has(code));

  expect([...new Set(named)].toSorted()).toEqual(expected.toSorted());
});
