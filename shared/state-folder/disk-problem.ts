/**
 * What keeps a stage on this machine from files that are whole: a full disk, another owner, a disk that is read-only or fails. None of these is
 * damage, so no sentence advises to delete anything.
 */
import { accessSync, constants, existsSync, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTrustedOwner } from '../private-folder.mjs';
import { commandLine } from '../text/command-line.ts';

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
  const folder = folderOf(path);
  const places = [folder, ...filesOf(path)];
  const closed = places.find((place) => kindOfPlace(place) === 'closed');
  const kind =
    places.map(kindOfPlace).find((found) => found !== undefined) ?? kindOfSpace(folder) ?? kindOfError(error);
  if (kind === undefined) return undefined;
  // A store lies in its folder: what is further up is no state, and may be the whole disk.
  const isState = dirname(folder) !== folder && [path, dirname(path)].includes(folder);
  if (kind === 'closed' && !isState)
    return `${path} cannot be made, since ${folder} is closed to you: name a folder of your own with --data`;
  return closed === undefined ? sentence(kind, folder) : closedSentence(closed, folder);
}

/**
 * Says in one sentence why a file or folder of the state is not used, whose it is and what to do.
 * It may be closed to this user. Or a user owns it who is neither this one nor root: what such a user
 * planted would be believed.
 * @param folder - of the state, which a command in the sentence opens as a whole
 * @returns undefined if it can be used
 */
export function fileProblem(path: string, folder: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!isTrustedOwner(stats.uid))
    return `${path} belongs to ${ownerName(stats.uid)}, who may have put it there to be taken for yours: name another folder with --data, or take it with \`${takeLine(['-h'], path)}\` if it is yours`;
  const kind = kindOfPlace(path);
  if (kind === undefined) return undefined;
  return kind === 'closed' ? closedSentence(path, folder) : sentence(kind, folder);
}

function closedSentence(place: string, folder: string): string {
  const { uid } = lstatSync(place);
  return uid === process.geteuid?.()
    ? `${place} is yours, and closed to you by its mode: \`${commandLine(['chmod', '-R', 'u+rwX', folder])}\` opens it`
    : `${place} belongs to ${ownerName(uid)} and is closed to you: \`${takeLine(['-R'], folder)}\` gives it to you`;
}

function takeLine(options: readonly string[], path: string): string {
  return `${commandLine(['sudo', 'chown', ...options])} "$(id -un)" ${commandLine([path])}`;
}

function ownerName(uid: number): string {
  return uid === 0 ? 'root' : `the user ${uid}`;
}

function sentence(kind: Kind, folder: string): string {
  switch (kind) {
    case 'full':
      return `the disk of ${folder} is full: make room, and start again if the stage has ended; nothing of the state is lost`;
    case 'closed':
      return `${folder} or a file in it belongs to another user, or is closed to you: \`${takeLine(['-R'], folder)}\` gives it to you`;
    case 'read-only':
      return `${folder} is read-only: make its disk writable, or name a copy of the folder with --data`;
    case 'failing':
      return `the disk of ${folder} fails when it is read or written: copy the folder to another disk, and name the copy with --data`;
  }
}

/** A folder is used if it can be entered, too. */
function kindOfPlace(place: string): Kind | undefined {
  const { R_OK, W_OK, X_OK } = constants;
  try {
    accessSync(place, statSync(place).isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK);
    return undefined;
  } catch (error) {
    return kindOfError(error);
  }
}

function kindOfSpace(folder: string): Kind | undefined {
  try {
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
  if (folderOf(path) === path)
    return kindOfPlace(path) === undefined ? readdirSync(path).map((name) => join(path, name)) : [];
  return ['', '-wal', '-shm', '.new', '.lock'].map((end) => `${path}${end}`).filter((file) => existsSync(file));
}

function kindOfError(error: unknown): Kind | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const sqlite = 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  return kindOfCode[code] ?? kindOfSqlite[sqlite] ?? kindOfError(error.cause);
}
