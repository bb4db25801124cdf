import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStage } from '#operator/stage/operator-deps.ts';
import { readAssets } from '../assets.ts';
import { consoleStages } from '../server/console-stage.ts';
import { machineNow } from '../server/read-now.ts';
import { type RunningConsole, startConsole } from './start-console.ts';
import type { Target } from '#operator/target.ts';

/** The console of `npm start` decides nothing, so no row gets this name. */
const operator = 'operator';

/** A stage that this process runs itself. */
type OwnStage = Omit<Extract<Target, { kind: 'local' }>, 'kind' | 'policy'>;

/**
 * Starts the console of `npm start`: a listener of its own, read-only. It asks the stage over HTTP as every other process does. `Date` is moved with the
 * stage's clock here, so the machine's time comes from elsewhere.
 */
export async function startLocalConsole(own: OwnStage, warn: (line: string) => void): Promise<RunningConsole> {
  const open = openStage({ kind: 'local', ...own }, machineNow);
  const person = {
    operator,
    interruption: () => new AbortController().signal,
    elapsedMs: () => performance.now(),
    wait: async (milliseconds: number) => sleep(milliseconds),
    unique: () => randomUUID().slice(0, 8),
    progress: () => {},
  };
  return startConsole({
    stages: consoleStages([
      { label: own.stage, words: ['--data', own.folder], open: () => ({ ...person, ...open() }) },
    ]),
    assets: readAssets,
    operator,
    warn,
  });
}
