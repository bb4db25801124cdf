import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isFolderKept, takeDataFolder } from '#local/stage/data-folder.ts';
import { StartProblem } from '#local/stage/start-options.ts';

let parent: string;
let dataDir: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'autopilot-folder-'));
  dataDir = join(parent, 'data');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const formatFile = () => join(dataDir, 'ledger-format');
const ignoreFile = () => readFileSync(join(dataDir, '.gitignore'), 'utf8');

test('a new folder is its owner’s alone, and git sees nothing in it', async () => {
  await takeDataFolder(dataDir, false);

  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(ignoreFile()).toBe('*\n');
});

test('a folder of a version that hid nothing from git is hidden from now on, with its state kept', async () => {
  // A real gateway's token stood in the clear in a folder that git offered to commit.
  mkdirSync(dataDir);
  for (const name of ['.gateway-autopilot', 'state.db']) writeFileSync(join(dataDir, name), '');

  await takeDataFolder(dataDir, false);

  expect(ignoreFile()).toBe('*\n');
  expect(readdirSync(dataDir)).toContain('state.db');
});

test('a later run takes the folder as it is, and --fresh forgets what was in it', async () => {
  await takeDataFolder(dataDir, false);
  writeFileSync(join(dataDir, 'state.db'), '');

  await takeDataFolder(dataDir, false);
  const kept = readdirSync(dataDir);
  await takeDataFolder(dataDir, true);

  expect(kept).toContain('state.db');
  expect(readdirSync(dataDir).toSorted()).toEqual(['.gateway-autopilot', '.gitignore', 'ledger-format']);
});

describe('the format of the ledger', () => {
  test('is noted in a new folder, and a later run takes what has it', async () => {
    await takeDataFolder(dataDir, false);
    mkdirSync(join(dataDir, 'aws', 'dynamodb'), { recursive: true });

    await takeDataFolder(dataDir, false);

    expect(readFileSync(formatFile(), 'utf8')).toBe('2\n');
  });

  test.each([
    ['an older number', '1\n', 'format 1,'],
    ['a newer number', '3\n', 'format 3,'],
    ['a table and no number', undefined, 'no format number,'],
  ])('is refused in one sentence that names --fresh: %s', async (_what, format, named) => {
    await takeDataFolder(dataDir, false);
    mkdirSync(join(dataDir, 'aws', 'dynamodb'), { recursive: true });
    if (format === undefined) rmSync(formatFile());
    else writeFileSync(formatFile(), format);
    const before = readdirSync(dataDir);

    const taken = takeDataFolder(dataDir, false);

    await expect(taken).rejects.toBeInstanceOf(StartProblem);
    await expect(taken).rejects.toThrow(
      `the ledger in ${dataDir} has ${named} and this version reads format 2 only: begin anew with --fresh`,
    );
    expect(readdirSync(dataDir)).toEqual(before);
    await takeDataFolder(dataDir, true);
    expect(readFileSync(formatFile(), 'utf8')).toBe('2\n');
  });
});

test('what a person wrote into its .gitignore stays', async () => {
  await takeDataFolder(dataDir, false);
  writeFileSync(join(dataDir, '.gitignore'), '*\n!notes.md\n');

  await takeDataFolder(dataDir, false);

  expect(ignoreFile()).toBe('*\n!notes.md\n');
});

test('a .gitignore does not make somebody else’s folder ours', async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, '.gitignore'), '*\n');

  await expect(takeDataFolder(dataDir, true)).rejects.toThrow('holds files that are not of an earlier run');
});

describe('a folder that cannot be used is one sentence with its name, the code and what to do', () => {
  test.each([
    ['a file', (file: string) => file],
    ['a folder below a file', (file: string) => join(file, 'data')],
  ])('%s', async (_, pathOf) => {
    const file = join(parent, 'README.md');
    writeFileSync(file, 'precious');

    const taken = takeDataFolder(pathOf(file), true);

    await expect(taken).rejects.toThrow(StartProblem);
    await expect(taken).rejects.toThrow(`${pathOf(file)} cannot be used (ENOTDIR): name another folder with --data`);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });
});

test('a folder that somebody deleted meanwhile is told from one that is kept', async () => {
  await takeDataFolder(dataDir, false);
  const before = isFolderKept(dataDir);
  rmSync(dataDir, { recursive: true });

  expect([before, isFolderKept(dataDir)]).toEqual([true, false]);
});
