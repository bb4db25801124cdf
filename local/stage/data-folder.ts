import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';
import { ledgerFormat } from '#shared/ledger/ledger.ts';
import { StartProblem } from './start-options.ts';

/** What a running stage leaves for the operator's command to find it by. */
const runningStage = z.object({
  pid: z.int(),
  endpoint: z.string(),
  stage: z.string(),
  region: z.string(),
});

/** The content of `local.json`. */
export type RunningStage = z.infer<typeof runningStage>;

const fileName = 'local.json';

/** Marks a folder as ours: only such a folder is ever deleted. */
const markName = '.gateway-autopilot';

/** Holds the format of the rows that were written into the folder. */
const formatName = 'ledger-format';

/** Is there once a run has made the ledger's table. */
const tableFolder = join('aws', 'dynamodb');

/**
 * Takes a data folder for this run.
 * @throws StartProblem while another run has it (two runs would write the same state), if its ledger has another format, or if it cannot be
 * read or written
 */
export async function takeDataFolder(dataDir: string, isFresh: boolean): Promise<void> {
  const other = readRunning(dataDir);
  if (other !== undefined && isAlive(other.pid) && (await answers(other.endpoint))) {
    throw new StartProblem(
      `stage ${other.stage} runs already at ${other.endpoint} (process ${other.pid}) with the state in ${dataDir}: end it, or give this one a folder of its own with --data`,
    );
  }
  try {
    prepareFolder(dataDir, isFresh);
  } catch (error) {
    if (error instanceof StartProblem || !(error instanceof Error && 'code' in error)) throw error;
    throw new StartProblem(`${dataDir} cannot be used (${String(error.code)}): name another folder with --data`, {
      cause: error,
    });
  }
}

function prepareFolder(dataDir: string, isFresh: boolean): void {
  const isOurs = existsSync(join(dataDir, markName));
  if (!isOurs && existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new StartProblem(`${dataDir} holds files that are not of an earlier run: name an empty folder with --data`);
  }
  if (isFresh) rmSync(dataDir, { recursive: true, force: true });
  refuseOtherFormat(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700); // also where it was there before
  writeFileSync(join(dataDir, markName), '');
  writeFileSync(join(dataDir, formatName), `${ledgerFormat}\n`);
  // The token of a real gateway is kept in it, and --data may name a folder inside a repository.
  const ignoreFile = join(dataDir, '.gitignore');
  if (!existsSync(ignoreFile)) writeFileSync(ignoreFile, '*\n');
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
    `the ledger in ${dataDir} has ${kept}, and this version reads format ${ledgerFormat} only: begin anew with --fresh, or name another folder with --data`,
  );
}

/** Whether the folder that was taken is still there: somebody may delete it while the stage runs. */
export function isFolderKept(dataDir: string): boolean {
  return existsSync(join(dataDir, markName));
}

/** Says where the stage runs. */
export function announceRunning(dataDir: string, running: RunningStage): void {
  writeFileSync(join(dataDir, fileName), `${JSON.stringify(running)}\n`);
}

/** Says that it runs no more. */
export function withdrawRunning(dataDir: string): void {
  rmSync(join(dataDir, fileName), { force: true });
}

function readRunning(dataDir: string): RunningStage | undefined {
  try {
    return runningStage.safeParse(JSON.parse(readFileSync(join(dataDir, fileName), 'utf8'))).data;
  } catch {
    // Absent, or half written by a run that was killed: nobody runs by it.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function answers(endpoint: string): Promise<boolean> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
