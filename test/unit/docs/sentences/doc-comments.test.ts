import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readComments } from './read-comments.ts';

const rooms = 'functions,shared,infra,local,gateway,operator,console,cli,create,examples,test';

/**
 * Lines of doc comments that document nothing: an empty line follows, and something stands before.
 */
function strayComments(source: string): number[] {
  return readComments(source)
    .filter(({ isDoc, headsFile, next }) => isDoc && !headsFile && next.trim() === '')
    .map(({ line }) => line);
}

test('a doc comment between imports and an empty line is found; one before code, or at the head of a file, is not', () => {
  const head = '#!/usr/bin/env node\n/** Head. */\n\n';
  const source = `${head}import 'a';\n\n/** Stray. */\n\n/** Of b. */\nexport const b = 1;\n`;

  expect(strayComments(source)).toEqual([6]);
});

test('a doc comment stands before code or heads its file', () => {
  const files = globSync(`{${rooms}}/**/*.{ts,tsx,mjs,mts}`);
  const found = files.flatMap((file) => strayComments(readFileSync(file, 'utf8')).map((line) => `${file}:${line}`));

  expect(files.length).toBeGreaterThan(1000);
  expect(found).toEqual([]);
});
