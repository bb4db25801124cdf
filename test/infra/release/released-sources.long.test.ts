import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sourceProblems, unpackSources, versionsWithSources } from '#infra/release/released-sources.ts';

const [version = ''] = versionsWithSources();

function unpacked(): string {
  const dir = mkdtempSync(join(tmpdir(), 'autopilot-released-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  unpackSources(version, dir);
  return dir;
}

test('the sources that a version was released with can be packed again under its number', () => {
  expect(sourceProblems(version, unpacked())).toEqual([]);
});

// A later main called itself 0.9.0 still, and would have been released under that number.
test('other sources are refused under a number that was released', () => {
  const dir = unpacked();
  appendFileSync(join(dir, 'package.json'), '\n');
  rmSync(join(dir, 'cli', 'main.ts'));

  expect(sourceProblems(version, dir)).toEqual([
    `${version} was released with other sources (cli/main.ts and 1 more): give these a newer version`,
  ]);
});

test('a number that was not released yet takes any sources', () => {
  expect(sourceProblems('999.0.0', unpacked())).toEqual([]);
});
