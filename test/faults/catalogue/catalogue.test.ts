import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { matrixOf, projectFaults, projectProofs, unknownIds, unproved } from './matrix.ts';
import { freshReliabilityDocument, holdersOf, promises, reliabilityPath } from './promises.ts';

/** How many faults each part of the catalogue has: a row that is lost is a promise that is lost. */
const partSizes = { A: 38, B: 5, C: 17, D: 16, E: 41, F: 17 };

describe('the fault catalogue', () => {
  test('has every fault once, in order', () => {
    const wanted = Object.entries(partSizes).flatMap(([part, size]) =>
      Array.from({ length: size }, (_, index) => `${part}${index + 1}`),
    );

    expect(projectFaults().map(({ id }) => id)).toEqual(wanted);
  });

  test('has a test or a reason for each', () => {
    expect(unproved(matrixOf(projectFaults(), projectProofs()))).toEqual([]);
  });

  test('knows every fault that a title names', () => {
    expect(unknownIds(projectFaults(), projectProofs())).toEqual([]);
  });

  test('stands beside promises, each of which a file of npm test names beside the model', () => {
    expect(Object.keys(promises)).toHaveLength(19);
    expect(Object.keys(promises).filter((id) => !holdersOf(id).some(isShort))).toEqual([]);
  });

  test('docs/reference/reliability.md names those files (npm run docs -- reliability)', async () => {
    expect(await readFile(reliabilityPath, 'utf8')).toBe(await freshReliabilityDocument());
  });

  test('is proved by no test that is skipped', () => {
    expect(projectProofs().filter(({ isSkipped }) => isSkipped)).toEqual([]);
  });
});

/** A file that `npm test` runs, and that is no search. */
function isShort(file: string): boolean {
  return !file.endsWith('.long.test.ts') && !file.startsWith('test/faults/model/');
}
