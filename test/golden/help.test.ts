import type { Terminal } from '#cli/command-deps.ts';
import { main } from '#cli/main.ts';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { everyHelp } from '../unit/cli/command-specs.ts';

/** What a command line prints, without colours, and how it ends. */
async function printed(...argv: readonly string[]): Promise<string> {
  const written: string[] = [];
  const stream = (name: string) =>
    Object.assign(Object.create(process.stdout), {
      isTTY: false,
      write: (text: string) => written.push(`${name}: ${text}`) > 0,
    });
  const terminal: Terminal = {
    env: {},
    stdin: process.stdin,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    cwd: () => import.meta.dirname, // no stage was started here
    once: () => process,
  };
  const exitCode = await main(argv, terminal);
  return [
    `$ autopilot ${argv.join(' ')}`,
    stripVTControlCharacters(written.join('')),
    `exit code ${exitCode}`,
    '',
  ].join('\n');
}

test('--help of autopilot and of each command', async () => {
  const texts = (await everyHelp()).map(([path, help]) => `$ autopilot ${path} --help\n${help}\n`);

  await expect(texts.join('\n')).toMatchFileSnapshot('files/help.txt');
});

test('command lines that are refused', async () => {
  const texts: string[] = [];
  for (const argv of [
    [],
    ['uplaod', 'a.csv'],
    ['upload', 'a.csv', '--file-id'],
    ['upload', 'a.csv', '--fileid', 'x'],
    ['status', '--json=yes'],
    ['status', '--aws'],
    ['send', 'strat', 'nightly'],
    ['send', 'strat', 'nightly', '--json'],
    ['clock', '--aws', '--stage', 'prod'],
  ]) {
    texts.push(await printed(...argv));
  }

  await expect(texts.join('\n')).toMatchFileSnapshot('files/refused-command-lines.txt');
});
