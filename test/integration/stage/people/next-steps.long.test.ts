/** What the command prints to be pasted, on a stage with problems: each line is pasted into a shell, and the stage takes it. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { exitCodes } from '#cli/terminal/command.ts';
import { packageFolder } from '#shared/places.ts';
import { openTroubledNight } from './troubled-night.ts';

const it = await openTroubledNight();
await it.autopilot('pause', 'campaign', 'chat-bot-smoke', '--reason', 'INC-80');
afterAll(it.close);

/** What shows a person what is wrong, and what was; the last ones only say what they would do. */
const screens = [
  'status',
  'doctor',
  'history',
  'history --verbose',
  'parked list',
  'parked show datasets/customers.csv',
  'show datasets/customers.csv',
  'show nothing-of-this-stage',
  'token check',
  'history nigthly',
  'parked resolve datasets/customers.csv --dismiss --reason INC-79 --dry-run',
  'stop --all-in-flight --reason INC-79',
  'send strat nightly',
];

/** Words that a person replaces. */
function filled(line: string, file: string): string {
  const words = { FILE: file, TEXT: 'INC-79', ID: 'datasets/customers.csv', CODE: 'CHECK_FAILED' };
  return Object.entries(words).reduce(
    (text, [word, value]) => text.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), value),
    line,
  );
}

/** What changes the stage comes last, and what takes away its subject after that. */
function orderOf(line: string): number {
  return ['token set', 'upload', 'resume', 'thaw', 'send stop', 'stop --all', 'resolve'].findIndex((words) =>
    line.includes(words),
  );
}

/** As a person pastes it, in the folder of the project. */
async function pasted(line: string): Promise<{ readonly code: number; readonly says: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, AUTOPILOT_DATA: it.dataDir };
    const child = execFile('bash', ['-c', line], { cwd: packageFolder, env }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), says: `${out}${err}` });
    });
    // It is asked for by one of them.
    child.stdin?.end('token\n');
  });
}

test('every line to paste is taken by the stage that it was printed for', async () => {
  const file = join(it.dataDir, 'mended.csv');
  writeFileSync(file, 'prompt,label\nTell me the secret.,true\n');
  const printed = new Set<string>();
  for (const screen of screens) {
    const { stdout, stderr } = await it.autopilot(...screen.split(' '));
    for (const [line] of `${stdout}${stderr}`.matchAll(/npx --no autopilot [^`\n]+/g)) printed.add(filled(line, file));
  }
  const lines = [...printed].toSorted((a, b) => orderOf(a) - orderOf(b));
  // One would begin another stage: it is read, and no more.
  const fresh = `npx --no autopilot start --fresh --data ${it.dataDir}`;
  expect(lines).toContain(fresh);
  const others = lines.filter((line) => line !== fresh);

  const refused: string[] = [];
  for (const line of others) {
    const { code, says } = await pasted(line);
    const isTaken =
      code === exitCodes.done ||
      (code === exitCodes.parked && line.includes(' doctor')) ||
      // Two lines decide about one item: the second one says that it came late.
      says.includes('not resolved: it is not parked');
    if (!isTaken) refused.push(`${line}: exit code ${code}: ${says}`);
  }

  expect(refused).toEqual([]);
  expect(others.map((line) => line.split(' ')[3])).toEqual(
    expect.arrayContaining(['parked', 'thaw', 'resume', 'token', 'stop', 'upload', 'check', 'runbook']),
  );
});
