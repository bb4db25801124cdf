/**
 * The chaos run in its small form, and that its judge is not blind: the larger ones are
 * `npm run chaos` (docs/reference/reliability.md).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chaos-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function chaos(...args: readonly string[]): Run {
  const child = spawn(process.execPath, ['--import', './shared/require-node.mjs', 'test/chaos/chaos.ts', ...args], {
    cwd: packageFolder,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  return { child, output: () => output, ended };
}

/** The number in a row of the table. */
function counted(output: string, row: string): number {
  return Number(new RegExp(`^  ${row} +(\\d+)`, 'm').exec(output)?.[1]);
}

test('with twenty workers killed and every fifth request struck, nothing is lost and nothing done twice', async () => {
  const run = chaos('--events', '80', '--kills', '20', '--faults', '0.2', '--seed', 'small');

  expect(await run.ended, run.output()).toBe(0);
  const of = (row: string) => counted(run.output(), row);
  const broken = ['applied twice', 'lost', 'denied', 'parked without a reason', 'runs not as wished'];
  expect(broken.map(of)).toEqual([0, 0, 0, 0, 0]);
  expect(of('kills')).toBe(20);
  // The starts that follow uploads are events of their own.
  expect(of('events')).toBeGreaterThanOrEqual(80);
  expect(of('requests struck')).toBeGreaterThan(0);
  expect(of('applied once') + of('parked') + of('superseded') + of('skipped') + of('ignored')).toBe(of('events'));
});

describe('the baselines, with no fault and no kill', () => {
  // This seed sends nine good files, and the queue delivers three of them twice.
  const quiet = ['--events', '12', '--kills', '0', '--faults', '0', '--seed', 'quiet298'];

  test('the one by the book does each upload once: it is honestly written', async () => {
    const run = chaos(...quiet, '--worker', 'powertools');

    await run.ended;
    expect([counted(run.output(), 'applied twice'), counted(run.output(), 'lost')], run.output()).toEqual([0, 0]);
    // Nine uploads, and the two starts of runs whose ids this worker works out by itself.
    expect(counted(run.output(), 'applied once')).toBe(11);
  });

  test('the naive one registers the copies that a queue may deliver, and the run says so', async () => {
    const run = chaos(...quiet, '--worker', 'naive');

    expect(await run.ended, run.output()).toBe(1);
    expect(counted(run.output(), 'applied twice')).toBeGreaterThanOrEqual(3); // and perhaps a start, by the order of delivery
    expect(run.output().match(/^BROKEN datasets\/.*: 2 datasets at the gateway/gm)).toHaveLength(3);
  });
});

test('Ctrl-C in the middle of a run leaves no process and no folder behind', async () => {
  const run = chaos('--events', '2000', '--kills', '5');
  await untilSaid(run, / sent, /);

  run.child.kill('SIGINT');

  expect(await run.ended, run.output()).toBe(130);
  expect(readdirSync(folder).filter((name) => name.startsWith('autopilot-chaos-'))).toEqual([]);
});

test('a wrong option is one sentence, and nothing is begun', async () => {
  const run = chaos('--faults', 'often');

  expect(await run.ended).toBe(2);
  expect(run.output()).toBe('--faults often is not a number from 0 to 0.9; 0.2 strikes every fifth request\n');
});

async function untilSaid(run: Run, pattern: RegExp): Promise<void> {
  const until = performance.now() + 90_000;
  while (!pattern.test(run.output())) {
    if (performance.now() > until || run.child.exitCode !== null) throw new Error(`in vain:\n${run.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
