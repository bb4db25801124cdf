import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '#local/stage/local-gateway.ts';
import { packageFolder } from '#shared/places.ts';
import type { BenchRow } from '../bench-row.ts';
import { plainEnvironment } from '../measure/run-subject.ts';
import { spreadOf } from '../measure/statistics.ts';

/** The first start fills the caches and is not counted. */
const starts = 4;

/** From `npm start` to its line READY, with what an earlier start left, on the same ports as that one. */
export const ready: BenchRow = {
  id: 'ready',
  title: 'npm start to READY, warm',
  peer: 'no peer: an operator waits',
  isNoiseFree: false,
  async measure() {
    const dataDir = await mkdtemp(join(tmpdir(), 'autopilot-bench-'));
    try {
      const ports = [await freePort(0, '--port'), await freePort(0, '--gateway-port')];
      const seconds: number[] = [];
      for (let start = 0; start < starts; start += 1) seconds.push(await startOnce(dataDir, ports));
      const [, ...warm] = seconds;
      const detail = `median of ${warm.map((one) => one.toFixed(1)).join(', ')} s; the first took ${(seconds[0] ?? 0).toFixed(1)} s`;
      return {
        figures: [{ name: '', value: spreadOf(warm).median, unit: 's', bar: 3, stretch: 2, detail }],
        notes: [],
      };
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

/** @returns seconds; @throws Error if it ends without getting ready */
async function startOnce(dataDir: string, [port, gatewayPort]: readonly number[]): Promise<number> {
  const startedAt = performance.now();
  const flags = ['--port', `${port}`, '--gateway-port', `${gatewayPort}`, '--data', dataDir];
  const child = spawn('npm', ['start', '--silent', '--', ...flags], {
    cwd: packageFolder,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // npm is gone before the stage is: its output closes with the last of them.
  const ended = once(child, 'close');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('READY ')) return (performance.now() - startedAt) / 1000;
    }
    throw new Error('npm start ended before it was ready');
  } finally {
    // npm hands no signal on to a script: its group gets it.
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    child.stdout.resume();
    await ended;
  }
}
