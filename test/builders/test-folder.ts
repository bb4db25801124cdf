/** Folders that go with their test or its file, and small disks in memory, to be filled. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

function newFolder(remove: (work: () => void) => void): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'autopilot-test-')));
  remove(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** An empty folder, which goes after the last test of the file. */
export const folderOfFile = () => newFolder(afterAll);

/** An empty folder, which goes with the test that is about to run, or runs. */
export const folderOfTest = () => newFolder(onTestFinished);

/** A folder that is a disk of its own. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  readonly fill: () => void;
  readonly makeRoom: () => void;
  readonly setReadOnly: (isReadOnly: boolean) => void;
  readonly unmount: () => void;
}

/** Stands for one in a test that is skipped. */
export const noDisk: SmallDisk = {
  folder: '/',
  fill: () => {},
  makeRoom: () => {},
  setReadOnly: () => {},
  unmount: () => {},
};

/** Mounts one; undefined if this process may not, as every one that is not root's. */
export function smallDisk(megabytes = 8): SmallDisk | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const mount = (options: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { encoding: 'utf8' });
  if (mount(`size=${megabytes}m`).status !== 0) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => {
      for (const bytes of [65_536, 4096, 1]) appendUntilFull(ballast, Buffer.alloc(bytes));
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    setReadOnly: (isReadOnly) => {
      const { status, stderr } = mount(`remount,size=${megabytes}m,${isReadOnly ? 'ro' : 'rw'}`);
      if (status !== 0) throw new Error(stderr);
    },
    unmount: () => {
      spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function appendUntilFull(path: string, bytes: Buffer): void {
  try {
    for (;;) appendFileSync(path, bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
