/**
 * Which folders another user of this machine cannot write, not even by a new name. For each entry,
 * before it loads anything: so this is JavaScript that every Node can read.
 */
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The user of this process. Windows has no such number: a user's folders there are the user's alone
 * by their access lists.
 */
const me = process.geteuid?.();

/** Whether a folder is this user's and no link, and no other user may list, read or write it. */
export function isPrivateFolder(path) {
  const { uid, mode, isFolder } = lookAt(path);
  return isFolder && (me === undefined || (uid === me && (mode & 0o077) === 0));
}

/**
 * Whether what has this owner was put there by this user or root. On Windows each owner counts so.
 * @param uid - as `lstat` gives it
 */
export function isTrustedOwner(uid) {
  return me === undefined || uid === me || uid === 0;
}

/**
 * Whether no other user but root can rename the folder or one above it: these are as strict as
 * ssh's for its own files.
 */
function isHeldByItsParents(path) {
  const parent = dirname(path);
  if (me === undefined || parent === path) return true;
  const { uid, mode } = lookAt(parent);
  const isWritten = (mode & 0o022) !== 0 && (mode & 0o1000) === 0; // in a sticky folder only the owner renames
  return isTrustedOwner(uid) && !isWritten && isHeldByItsParents(parent);
}

function lookAt(path) {
  const stats = lstatSync(path);
  return { uid: stats.uid, mode: stats.mode, isFolder: stats.isDirectory() };
}

/**
 * The folder for this project's cache in the user's home. It is `undefined` if there is no home, or
 * if another user could put a file into the folder.
 */
export function privateCacheFolder() {
  try {
    const parent = join(homedir(), '.cache');
    makeFolder(parent);
    const folder = join(realpathSync(parent), 'gateway-autopilot');
    makeFolder(folder);
    return isPrivateFolder(folder) && isHeldByItsParents(folder) ? folder : undefined;
  } catch {
    // No home, or one that cannot be written. Everything works without a cache.
    return undefined;
  }
}

/** Not with its parents: a home that is not there is not made. */
function makeFolder(path) {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}
