import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskProblem } from '#shared/state-folder/disk-problem.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'disk-problem-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const system = (code: string) => Object.assign(new Error(code), { code });
const sqlite = (errcode: number) => Object.assign(new Error('sqlite'), { code: 'ERR_SQLITE_ERROR', errcode });

// Each was called damage, and the advice was to delete the state.
test.each<readonly [error: Error, words: string]>([
  [system('ENOSPC'), 'is full: make room'],
  [system('EDQUOT'), 'is full: make room'],
  [system('EACCES'), 'belongs to another user'],
  [system('EPERM'), 'belongs to another user'],
  [system('EROFS'), 'is read-only'],
  [system('EIO'), 'fails when it is read or written: copy the folder'],
  [sqlite(13), 'is full: make room'],
  [sqlite(3), 'belongs to another user'],
  [sqlite(8), 'is read-only'],
  [sqlite(778), 'fails when it is read or written: copy the folder'],
  [new Error('the store failed', { cause: system('EIO') }), 'fails when it is read or written'],
])('%s is one sentence with the folder, and no advice that deletes', (error, words) => {
  const problem = diskProblem(join(folder, 'queues.db'), error);

  expect(problem).toContain(folder);
  expect(problem).toContain(words);
  expect(problem).not.toMatch(/fresh|delete|\n/);
});

test.each([new Error('malformed'), sqlite(11), sqlite(26), sqlite(5), system('ENOENT'), system('EADDRINUSE')])(
  '%s says nothing about the disk',
  (error) => {
    expect(diskProblem(join(folder, 'queues.db'), error)).toBeUndefined();
  },
);

test.each([
  ['/gateway-autopilot-state', '/'],
  ['/gateway-autopilot-state/aws/queues.db', '/'],
  [join(tmpdir(), 'gateway-autopilot-none', 'aws', 'queues.db'), tmpdir()],
])('what cannot be made at %s gives no advice about the folder above it', (path, above) => {
  expect(diskProblem(path, system('EACCES'))).toBe(
    `${path} cannot be made, since ${above} is closed to you: name a folder of your own with --data`,
  );
});

const isRoot = process.geteuid?.() === 0;

test.skipIf(!isRoot)('a file of root is found, whatever the store says of it (skipped: needs root)', () => {
  writeFileSync(join(folder, '000003.log'), '', { mode: 0o600 });
  chmodSync(folder, 0o700);
  chownSync(folder, 65534, 65534);
  const script = `process.setuid(65534);
    const { diskProblem } = await import('#shared/state-folder/disk-problem.ts');
    process.stdout.write(String(diskProblem(process.argv[1], new Error('Iterator is not open'))));`;

  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script, folder], { encoding: 'utf8' });

  expect(stdout).toBe(
    `${join(folder, '000003.log')} belongs to root and is closed to you: \`sudo chown -R "$(id -un)" ${folder}\` gives it to you`,
  );
});
