import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  findProofs,
  matrixOf,
  projectFaults,
  projectProofs,
  readCatalogue,
  showMatrix,
  unknownIds,
  unproved,
} from './matrix.ts';
import { freshReliabilityDocument, holdersOf, promises, reliabilityPath } from './promises.ts';

/** How many faults each part of the catalogue has: a row that is lost is a promise that is lost. */
const partSizes = { A: 36, B: 5, C: 17, D: 16, E: 41, F: 17 };

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

const proofsIn = (source: string) => findProofs('a.test.ts', source);

describe('titles', () => {
  test.each([
    ["it('[C5] repeats', async () => {", ['C5'], 'repeats'],
    ['test.each([1])("[C5 C16] in %i", () => {', ['C5', 'C16'], 'in %i'],
    ["  it.each(kills)(\n    `[F10] after ${'point'}`,", ['F10'], "after ${'point'}"],
    ["test('[A1] isn\\'t lost', () => {", ['A1'], "isn\\'t lost"],
  ])('are found in %s', (source, ids, title) => {
    expect(proofsIn(source)).toEqual([{ file: 'a.test.ts', ids, title, isSkipped: false }]);
  });

  test.each([
    "// it('[C5] old', …",
    " * @example it('[C5] …')",
    "it('is about [C5] too')",
    "it('[x1] no id')",
    "const at = ids['C5']",
  ])('are not found in %s', (source) => {
    expect(proofsIn(source)).toEqual([]);
  });

  test.each(["it.skip('[C5] x'", "test.todo(\n  '[C5] x'", "it.fails('[C5] x'"])(
    'that are skipped prove nothing: %s',
    (source) => {
      const [fault] = readCatalogue('- C5: a → b');
      const rows = matrixOf(fault === undefined ? [] : [fault], proofsIn(source));

      expect(unproved(rows)).toEqual(['C5']);
      expect(showMatrix(rows)).toContain('NO TEST AND NO REASON');
    },
  );

  test('with an id that the catalogue does not know are named', () => {
    expect(unknownIds(readCatalogue('- C5: a → b'), proofsIn("it('[C5 C99] x'"))).toEqual(['C99 in a.test.ts: x']);
  });
});
