/**
 * What keeps a stage on this machine from files that are whole: a full disk, another owner, a disk that is read-only or fails. None of these is
 * damage, so no sentence advises to delete anything.
 */
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandLine } from './text/command-line.ts';

type Kind = 'full' | 'closed' | 'read-only' | 'failing';

/** As the system names them ("errno", Linux manual pages). */
const kindOfCode: Readonly<Record<string, Kind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'closed',
  EPERM: 'closed',
  EROFS: 'read-only',
  EIO: 'failing',
};

/** As SQLite does ("Result and Error Codes", sqlite.org), without its extended codes. */
const kindOfSqlite: Readonly<Record<number, Kind>> = { 3: 'closed', 8: 'read-only', 10: 'failing', 13: 'full' };

/** Less is a full disk: SQLite and LevelDB write whole pages, and their logs beside them. */
const leastBytes = 256 * 1024;

/**
 * Says in one sentence what is wrong with the disk below a file or a folder, and what to do.
 * @param error - what an attempt to use it threw. Stores hide the cause in texts of their own, so
 *   the place itself is looked at first
 * @returns undefined if the disk is fine, as far as this process can see
 */
export function diskProblem(path: string, error?: unknown): string | undefined {
  const kind = kindOfPlace(path) ?? kindOfError(error);
  if (kind === undefined) return undefined;
  const folder = folderOf(path);
  // A store lies in its folder: what is further up is no state, and may be the whole disk.
  const isState = dirname(folder) !== folder && [path, dirname(path)].includes(folder);
  return kind === 'closed' && !isState
    ? `${path} cannot be made, since ${folder} is closed to you: name a folder of your own with --data`
    : sentence(kind, folder);
}

function sentence(kind: Kind, folder: string): string {
  switch (kind) {
    case 'full':
      return `the disk of ${folder} is full: make room, and start again if the stage has ended; nothing of the state is lost`;
    case 'closed':
      return `${folder} or a file in it belongs to another user, or is closed to you: \`${commandLine(['sudo', 'chown', '-R'])} "$(id -un)" ${commandLine([folder])}\` gives it to you`;
    case 'read-only':
      return `${folder} is read-only: make its disk writable, or name a copy of the folder with --data`;
    case 'failing':
      return `the disk of ${folder} fails when it is read or written: copy the folder to another disk, and name the copy with --data`;
  }
}

function kindOfPlace(path: string): Kind | undefined {
  try {
    const folder = folderOf(path);
    for (const place of [folder, ...filesOf(path)]) accessSync(place, constants.R_OK | constants.W_OK);
    return freeBytes(folder) < leastBytes ? 'full' : undefined;
  } catch (error) {
    return kindOfError(error);
  }
}

/** Bytes that a user may still write to the disk of a folder; infinitely many if it has no blocks, as `/proc`. */
export function freeBytes(folder: string): number {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return blocks === 0 ? Infinity : bavail * bsize;
}

/** The nearest folder that is there. */
function folderOf(path: string): string {
  if (existsSync(path) && statSync(path).isDirectory()) return path;
  return dirname(path) === path ? path : folderOf(dirname(path));
}

/** A store keeps more than one file: beside its own, or in its folder. */
function filesOf(path: string): readonly string[] {
  if (folderOf(path) === path) return readdirSync(path).map((name) => join(path, name));
  return ['', '-wal', '-shm', '.new', '.lock'].map((end) => `${path}${end}`).filter((file) => existsSync(file));
}

function kindOfError(error: unknown): Kind | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const sqlite = 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  return kindOfCode[code] ?? kindOfSqlite[sqlite] ?? kindOfError(error.cause);
}
