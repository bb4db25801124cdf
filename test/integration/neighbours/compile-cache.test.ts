import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, realpathSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { privateCacheFolder } from '#shared/private-folder.mjs';
import { folderOfTest } from '../../builders/test-folder.ts';

/**
 * Node runs what its compile cache holds. It lay in the shared temporary folder: another user
 * planted code there, and `autopilot --help` ran it as root.
 */
let home: string;
beforeEach(() => {
  home = realpathSync(folderOfTest());
});

const parent = () => join(home, '.cache');
const cache = () => join(parent(), 'gateway-autopilot');

/**
 * The folder of the compile cache in a process that starts as each entry does; empty if it has
 * none.
 */
function cacheFolderOf(env: Readonly<Record<string, string>>): string {
  const show = 'process.stdout.write(module.getCompileCacheDir() ?? "")';
  const args = [
    '--import',
    './shared/require-node.mjs',
    '--input-type=commonjs',
    '-e',
    `const module = require("node:module"); ${show}`,
  ];
  return execFileSync(process.execPath, args, { env, encoding: 'utf8' });
}

test('the compile cache lies in a folder of the user’s own, which no other user can enter', () => {
  const folder = cacheFolderOf({ HOME: home });

  expect(folder.startsWith(`${cache()}/`)).toBe(true);
  expect(statSync(cache()).mode & 0o777).toBe(0o700);
});

describe('there is no compile cache', () => {
  test('without a home, and none is made', () => {
    expect(cacheFolderOf({ HOME: join(home, 'absent') })).toBe('');
    expect(() => statSync(join(home, 'absent'))).toThrow('ENOENT');
  });

  test.each<readonly [string, () => void]>([
    ['if others may write the folder', () => chmodSync(cache(), 0o777)],
    ['if others may read the folder', () => chmodSync(cache(), 0o755)],
    ['if others may rename the folder', () => chmodSync(parent(), 0o777)],
    ['if others may rename the home', () => chmodSync(home, 0o775)],
    // Only root can give a folder away.
    ...(process.geteuid?.() === 0
      ? [['if the folder is another user’s', () => chownSync(cache(), 65534, 65534)] as const]
      : []),
    [
      'if the folder is a link',
      () => {
        renameSync(cache(), join(parent(), 'other'));
        symlinkSync(join(parent(), 'other'), cache());
      },
    ],
  ])('%s', (_case, spoil) => {
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(privateCacheFolder()).toBe(cache());

    spoil();

    expect(privateCacheFolder()).toBeUndefined();
  });
});
