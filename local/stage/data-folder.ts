import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { takeLock } from '#gateway/store/database.ts';
import { diskProblem, fileProblem } from '#shared/state-folder/disk-problem.ts';
import { ledgerFormat } from '#shared/ledger/ledger.ts';
import type { AccessKey } from '#shared/net/request-signature.ts';
import { keyFileName, keyIn, newKey, textOfKey } from '#shared/net/loopback.ts';
import { stateFolderName } from '#shared/places.ts';
import { isPrivateFolder } from '#shared/private-folder.mjs';
import { isInUse, StartProblem } from '../state/start-problem.ts';

/** What a running stage leaves for the operator's command to find it by. */
const runningStage = z.object({
  pid: z.int(),
  endpoint: z.string(),
  stage: z.string(),
  region: z.string(),
});

/** The content of `local.json`. */
export type StageOnRecord = z.infer<typeof runningStage>;

const fileName = 'local.json';

/** Marks a folder as ours: only such a folder is ever deleted. */
const markName = '.gateway-autopilot';

/** Is locked while a run has the folder. */
const lockName = 'lock';

/** Holds the format of the rows that were written into the folder. */
const formatName = 'ledger-format';

/** Is there once a run has made the ledger's table. */
const tableFolder = join('aws', 'dynamodb');

/** A folder that this process has, and no other. */
export interface TakenFolder {
  /** Of the stage in it: made with the folder, kept over restarts. */
  readonly key: AccessKey;
  /** Lets another process take the folder; the end of this one does the same. */
  readonly release: () => void;
  /** The same for a start that came to nothing: a folder that it has made goes as well. */
  readonly withdraw: () => void;
}

/**
 * Takes a data folder for this run.
 * @throws StartProblem if another run has it (two runs would write the same state). Also if its
 * ledger has another format, if it is another user's, or if it cannot be read or written
 */
export function takeDataFolder(dataDir: string, isFresh: boolean): TakenFolder {
  const isNew = !existsSync(dataDir);
  let release: TakenFolder['release'] | undefined;
  try {
    makeOwnFolder(dataDir);
    release = lockFolder(dataDir);
    const key = prepareFolder(dataDir, isFresh);
    const withdraw = () => {
      release?.();
      if (isNew) rmSync(dataDir, { recursive: true, force: true });
    };
    return { key, release, withdraw };
  } catch (error) {
    release?.();
    if (error instanceof StartProblem || !(error instanceof Error && 'code' in error)) throw error;
    // Only a folder of ours holds what is not to be lost.
    const problem = existsSync(join(dataDir, markName)) ? diskProblem(dataDir, error) : undefined;
    const sentence = problem ?? `${dataDir} cannot be used (${String(error.code)}): name another folder with --data`;
    throw new StartProblem(sentence, { cause: error });
  }
}

/** Makes the folder and marks it; nothing that others wrote is in it, and no other user can enter it. */
function makeOwnFolder(dataDir: string): void {
  const isOurs = existsSync(join(dataDir, markName));
  const problem = isOurs || basename(dataDir) === stateFolderName ? fileProblem(dataDir, dataDir) : undefined;
  if (problem !== undefined) throw new StartProblem(problem);
  if (!isOurs && existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new StartProblem(`${dataDir} holds files that are not of an earlier run: name an empty folder with --data`);
  }
  makeFolder(dataDir);
  if (lstatSync(dataDir).uid === process.geteuid?.()) chmodSync(dataDir, 0o700); // also if it was there before
  if (!isPrivateFolder(dataDir)) {
    throw new StartProblem(
      `${dataDir} is a link, or belongs to another user, who could read the token: name a folder of your own with --data`,
    );
  }
  refuseClosed(dataDir, dataDir);
  writeFileSync(join(dataDir, markName), '');
}

/**
 * Refuses what is closed to this user, as after one start with sudo, and what another user may have put there while the folder was open. A log
 * that cannot be written is a warning.
 */
function refuseClosed(folder: string, dataDir: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (path === logFolder(dataDir)) continue;
    const problem = fileProblem(path, dataDir);
    if (problem !== undefined) throw new StartProblem(problem);
    if (entry.isDirectory()) refuseClosed(path, dataDir);
  }
}

/** Holds a log for each function. */
export function logFolder(dataDir: string): string {
  return join(dataDir, 'logs');
}

/** With its parents, one by one: Node's own recursion never ends in a folder that refuses new ones with ENOENT, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Two starts at the same time see the same lock. */
function lockFolder(dataDir: string): TakenFolder['release'] {
  try {
    return takeLock(join(dataDir, lockName));
  } catch (error) {
    throw isInUse(error) ? new StartProblem(takenBy(dataDir), { cause: error }) : error;
  }
}

function takenBy(dataDir: string): string {
  const other = readRunning(dataDir);
  const what =
    other === undefined
      ? 'another start is at work'
      : `stage ${other.stage} runs already at ${other.endpoint} (process ${other.pid})`;
  return `${what} with the state in ${dataDir}: end it, or give this one a folder of its own with --data`;
}

function prepareFolder(dataDir: string, isFresh: boolean): AccessKey {
  if (isFresh) emptyFolder(dataDir);
  withdrawRunning(dataDir);
  refuseOtherFormat(dataDir);
  writeFileSync(join(dataDir, formatName), `${ledgerFormat}\n`);
  // The token of a real gateway is kept in it, and --data may name a folder inside a repository.
  const ignoreFile = join(dataDir, '.gitignore');
  if (!existsSync(ignoreFile)) writeFileSync(ignoreFile, '*\n');
  return keptKey(dataDir);
}

/** The folder itself stays, and the lock in it: another start cannot come between. */
function emptyFolder(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name !== markName && name !== lockName) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

/** Kept over restarts, so that what was set up to use the stage goes on; replaced if others can know it. */
function keptKey(dataDir: string): AccessKey {
  const path = join(dataDir, keyFileName);
  if (!isSecretFile(path)) {
    rmSync(path, { force: true });
    writeFileSync(path, textOfKey(newKey()), { mode: 0o600, flag: 'wx' });
  }
  const key = keyIn(readFileSync(path, 'utf8'));
  if (key !== undefined) return key;
  throw new StartProblem(`${path} is damaged: delete it, and the next start makes another key`);
}

/** Whether it is a file and no link, and no other user may read or write it. Windows tells no such thing. */
function isSecretFile(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (process.geteuid === undefined || (stats.mode & 0o077) === 0);
}

/** Rows of another format would be misread, so the run does not begin. A table without a format is from before formats had numbers. */
function refuseOtherFormat(dataDir: string): void {
  const path = join(dataDir, formatName);
  const isKept = existsSync(path);
  if (!isKept && !existsSync(join(dataDir, tableFolder))) return;
  const number = isKept ? readFileSync(path, 'utf8').trim() : undefined;
  if (number === String(ledgerFormat)) return;
  const kept = number === undefined ? 'no format number' : `format ${number}`;
  throw new StartProblem(
    `the ledger in ${dataDir} has ${kept}, and this version reads format ${ledgerFormat} only: start empty with --fresh, or name another folder with --data`,
  );
}

/** Whether the folder that was taken is still there: it may be deleted while the stage runs. */
export function isFolderKept(dataDir: string): boolean {
  return existsSync(join(dataDir, markName));
}

/** Names the folder of the stage. */
export function announceRunning(dataDir: string, running: StageOnRecord): void {
  writeFileSync(join(dataDir, fileName), `${JSON.stringify(running)}\n`);
}

/** Says that it runs no more. */
export function withdrawRunning(dataDir: string): void {
  rmSync(join(dataDir, fileName), { force: true });
}

function readRunning(dataDir: string): StageOnRecord | undefined {
  try {
    return runningStage.safeParse(JSON.parse(readFileSync(join(dataDir, fileName), 'utf8'))).data;
  } catch {
    // Absent, or half written by a run that was killed: no stage runs by it.
    return undefined;
  }
}
