import { expect, test } from 'vitest';
import type { Terminal } from '#cli/command-deps.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { main } from '#cli/main.ts';
import { startCliStage } from './start-cli-stage.ts';

/** A pipe that tells when its first line comes. */
function fakeStream() {
  const { promise: first, resolve } = Promise.withResolvers<string>();
  const write = (text: string): boolean => {
    resolve(text);
    return true;
  };
  return { first, stream: Object.assign(Object.create(process.stdout), { isTTY: false, write }) };
}

// The hint was to be typed without npx, and began a stage with its state in another folder.
test.each([
  ['status', '--watch'],
  ['history', '--follow'],
])('%s %s names the command that starts the same stage again', async (...line) => {
  const stage = await startCliStage();
  const [out, err] = [fakeStream(), fakeStream()];
  let ctrlC: unknown;
  const terminal: Terminal = {
    env: { npm_command: 'exec' },
    stdin: process.stdin,
    stdout: out.stream,
    stderr: err.stream,
    cwd: () => import.meta.dirname,
    once: (...[, listener]: readonly unknown[]) => {
      ctrlC = listener;
      return process;
    },
  };

  const ended = main([...line, '--data', stage.dataDir], terminal);
  await out.first;
  await stage.close();
  const notRead = await err.first;
  if (typeof ctrlC === 'function') ctrlC();

  expect(notRead).toMatch(/^not read: /);
  expect(notRead).toContain(`\`npx --no autopilot start --data ${stage.dataDir}\``);
  expect(await ended).toBe(exitCodes.done);
});
