import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readProject } from '../../unit/architecture/read-project.ts';
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

const projectFolder = join(import.meta.dirname, '..', '..', '..');

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

  // I7 was about repeats of one run id: what remains of it is I6.
  test('stands beside promises that tests cite, each of I1 to I20 but I7', async () => {
    const tests = [...(await readProject(projectFolder))].filter(([path]) => path.startsWith('test/'));
    const cited = new Set(tests.flatMap(([, text]) => text.match(/\bI\d{1,2}\b/g) ?? []));

    const promised = Array.from({ length: 20 }, (_, index) => `I${index + 1}`).filter((id) => id !== 'I7');
    expect(promised.filter((id) => !cited.has(id))).toEqual([]);
  });

  test('is proved by no test that is skipped', () => {
    expect(projectProofs().filter(({ isSkipped }) => isSkipped)).toEqual([]);
  });
});

const line = (id: string, limit = '') => `- ${id}: injected → must hold${limit === '' ? '' : ` → ${limit}`}`;

describe('a catalogue', () => {
  test('is read from its lines, and from nothing else', () => {
    const page = ['# A1', '- a list → of something else', '', line('A1'), line('B12', 'no account')].join('\n');

    expect(readCatalogue(page)).toEqual([
      { id: 'A1', injected: 'injected', mustHold: 'must hold', limit: '' },
      { id: 'B12', injected: 'injected', mustHold: 'must hold', limit: 'no account' },
    ]);
  });

  test.each(['- A1: injected', '- A1: injected →', '- A1: a → b → c → d'])('refuses the line %s', (broken) => {
    expect(() => readCatalogue(broken)).toThrow('no line of the catalogue');
  });
});

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

const faults = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'faults.ts'), ...args], { encoding: 'utf8' });

describe('npm run faults', () => {
  test('-- --list prints each fault with its tests and a sum', () => {
    const { status, stdout } = faults('--list');

    expect(stdout).toMatch(/^C5 .*\n {6}test\/[\w/.-]+\.test\.ts: \S/m);
    expect(stdout).toContain(`\n${projectFaults().length} faults: `);
    expect(status).toBe(0);
  });

  test.each([['--lisst'], ['C5'], ['--list', 'C5']])('says what it takes if it is given %s', (...args) => {
    const { status, stdout, stderr } = faults(...args);

    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${args.join(' ')} is not understood: npm run faults runs`);
  });
});
