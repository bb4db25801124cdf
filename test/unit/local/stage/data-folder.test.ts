import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { beforeEach, describe, expect, test } from 'vitest';
import { announceRunning, isFolderKept, takeDataFolder } from '#local/stage/data-folder.ts';
import { textOfKey } from '#shared/net/loopback.ts';
import { StartProblem } from '#local/state/start-problem.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

let parent: string;
let dataDir: string;
beforeEach(() => {
  parent = folderOfTest();
  dataDir = join(parent, 'data');
});

/** Takes the folder as a run that ends does. */
function takeAndRelease(isFresh: boolean): void {
  takeDataFolder(dataDir, isFresh).release();
}

const formatFile = () => join(dataDir, 'ledger-format');
const ignoreFile = () => readFileSync(join(dataDir, '.gitignore'), 'utf8');

test('a new folder is its owner’s alone, and git sees nothing in it', () => {
  takeAndRelease(false);

  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(ignoreFile()).toBe('*\n');
});

// A real gateway's token stood in the clear in a folder that git offered to commit.
test('a folder that hid nothing from git, and that others could enter, is closed from now on', () => {
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o777);
  for (const name of ['.gateway-autopilot', 'state.db']) writeFileSync(join(dataDir, name), '');

  takeAndRelease(false);

  expect(ignoreFile()).toBe('*\n');
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(readdirSync(dataDir)).toContain('state.db');
});

test('a later run takes the folder as it is, and --fresh forgets what was in it', () => {
  takeAndRelease(false);
  writeFileSync(join(dataDir, 'state.db'), '');
  writeFileSync(join(dataDir, '.gitignore'), '*\n!notes.md\n');

  takeAndRelease(false);
  const kept = readdirSync(dataDir);
  expect(ignoreFile()).toBe('*\n!notes.md\n');
  takeAndRelease(true);

  expect(kept).toContain('state.db');
  expect(readdirSync(dataDir).toSorted()).toEqual([
    '.gateway-autopilot',
    '.gitignore',
    'credentials',
    'ledger-format',
    'lock',
  ]);
});

const keyPath = () => join(dataDir, 'credentials');

describe('a key that others can know is replaced', () => {
  const planted = textOfKey({ accessKeyId: 'DEVELOPER', secretAccessKey: 'planted' });

  test.each([
    ['a file that was open to others', () => writeFileSync(keyPath(), planted, { mode: 0o644 })],
    [
      'a link',
      () => {
        writeFileSync(join(parent, 'elsewhere'), planted, { mode: 0o600 });
        symlinkSync(join(parent, 'elsewhere'), keyPath());
      },
    ],
  ])('%s', (_, plant) => {
    takeAndRelease(false);
    rmSync(keyPath());
    plant();

    const { key, release } = takeDataFolder(dataDir, false);
    release();

    expect(key.secretAccessKey).not.toBe('planted');
    expect(statSync(keyPath()).mode & 0o777).toBe(0o600);
    expect(lstatSync(keyPath()).isFile()).toBe(true);
  });

  test.skipIf(process.geteuid?.() !== 0)(
    'and a folder that holds a file of another user is refused, but for a log (skipped if this is not root)',
    () => {
      takeAndRelease(false);
      const [log, queues] = ['logs/worker.log', 'aws/queues.db'].map((name) => join(dataDir, name)) as [string, string];
      for (const file of [log, queues]) {
        mkdirSync(dirname(file));
        writeFileSync(file, 'planted');
      }
      chownSync(log, 65534, 65534);
      takeAndRelease(false);
      chownSync(queues, 65534, 65534);

      expect(() => takeDataFolder(dataDir, false)).toThrow(
        `${queues} belongs to the user 65534, who may have put it there to be taken for yours: name another folder with --data`,
      );
    },
  );
});

test.each([
  ['an older number', '1\n', 'format 1,'],
  ['a newer number', '4\n', 'format 4,'],
  ['a table and no number', undefined, 'no format number,'],
])('another format of the ledger is refused in one sentence that names --fresh: %s', (_what, format, named) => {
  takeAndRelease(false);
  mkdirSync(join(dataDir, 'aws', 'dynamodb'), { recursive: true });
  takeAndRelease(false);
  if (format === undefined) rmSync(formatFile());
  else writeFileSync(formatFile(), format);
  const before = readdirSync(dataDir);

  const take = () => takeDataFolder(dataDir, false);

  expect(take).toThrow(StartProblem);
  expect(take).toThrow(
    `the ledger in ${dataDir} has ${named} and this version reads format 3 only: start empty with --fresh`,
  );
  expect(readdirSync(dataDir)).toEqual(before);
  takeAndRelease(true);
  expect(readFileSync(formatFile(), 'utf8')).toBe('3\n');
});

test('a .gitignore does not make a folder of another owner ours', () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, '.gitignore'), '*\n');

  expect(() => takeDataFolder(dataDir, true)).toThrow('holds files that are not of an earlier run');
});

test.each([
  ['a file', (file: string) => file],
  ['a folder below a file', (file: string) => join(file, 'data')],
])('one that cannot be used is one sentence with its name and what to do: %s', (_, pathOf) => {
  const file = join(parent, 'README.md');
  writeFileSync(file, 'precious');

  const take = () => takeDataFolder(pathOf(file), true);

  expect(take).toThrow(StartProblem);
  expect(take).toThrow(`${pathOf(file)} cannot be used (ENOTDIR): name another folder with --data`);
  expect(readFileSync(file, 'utf8')).toBe('precious');
});

test('a folder that was deleted meanwhile is told from one that is kept', () => {
  takeAndRelease(false);
  const before = isFolderKept(dataDir);
  rmSync(dataDir, { recursive: true });

  expect([before, isFolderKept(dataDir)]).toEqual([true, false]);
});

describe('two starts on one folder', () => {
  test('the second is refused while the first is still starting, also with --fresh, which deletes nothing', () => {
    // The second start saw no announcement yet: both wrote the same state, and --fresh deleted the
    // folder under the first.
    const first = takeDataFolder(dataDir, false);
    writeFileSync(join(dataDir, 'state.db'), '');

    const takes = [false, true].map((isFresh) => () => takeDataFolder(dataDir, isFresh));

    for (const take of takes) expect(take).toThrow(`another start is at work with the state in ${dataDir}: end it`);
    expect(readdirSync(dataDir)).toContain('state.db');
    first.release();
    expect(takes[0]).not.toThrow();
  });

  test('the second says which stage runs, once the first has said so', () => {
    const { release } = takeDataFolder(dataDir, false);
    announceRunning(dataDir, { pid: 7, endpoint: 'http://127.0.0.1:4566', stage: 'local', region: 'eu-west-1' });

    expect(() => takeDataFolder(dataDir, false)).toThrow(
      `stage local runs already at http://127.0.0.1:4566 (process 7) with the state in ${dataDir}: end it`,
    );
    release();
  });
});

describe('a folder of another user', () => {
  test('is never taken by a link', () => {
    mkdirSync(join(parent, 'elsewhere'));
    symlinkSync(join(parent, 'elsewhere'), dataDir);

    expect(() => takeDataFolder(dataDir, false)).toThrow(`${dataDir} is a link, or belongs to another user`);
    expect(readdirSync(join(parent, 'elsewhere'))).toEqual([]);
  });

  test.skipIf(process.geteuid?.() !== 0)('is never taken as root, who would put the token into it', () => {
    mkdirSync(dataDir);
    chownSync(dataDir, 65534, 65534);

    expect(() => takeDataFolder(dataDir, false)).toThrow(`${dataDir} is a link, or belongs to another user`);
    expect(readdirSync(dataDir)).toEqual([]);
  });
});

test('the key of the stage is the owner’s alone, is kept by a restart, and changed by --fresh', () => {
  const first = takeDataFolder(dataDir, false);
  first.release();
  const second = takeDataFolder(dataDir, false);
  second.release();
  const fresh = takeDataFolder(dataDir, true);
  fresh.release();

  expect(statSync(join(dataDir, 'credentials')).mode & 0o777).toBe(0o600);
  expect(second.key).toEqual(first.key);
  expect(fresh.key.secretAccessKey).not.toBe(first.key.secretAccessKey);
});

test('a damaged key is one sentence', () => {
  takeAndRelease(false);
  writeFileSync(join(dataDir, 'credentials'), '[default]\n');

  expect(() => takeDataFolder(dataDir, false)).toThrow('credentials is damaged: delete it');
});

test.skipIf(process.platform !== 'linux')('a path that cannot exist is one sentence, and ends', () => {
  // Node's recursive mkdir never returns below /proc: the start took a whole processor for ever.
  const script = "import('#local/stage/data-folder.ts').then((m) => m.takeDataFolder('/proc/absent/data', false))";

  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 120_000 });

  expect(status).toBe(1);
  expect(stderr).toContain('/proc/absent/data cannot be used (ENOENT): name another folder with --data');
});
