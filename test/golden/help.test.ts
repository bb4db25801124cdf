import type { Terminal } from '#cli/command-deps.ts';
import { main } from '#cli/main.ts';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { everyHelp } from '../unit/cli/command-specs.ts';

/** What a command line prints, without colours, and how it ends. */
async function printed(...argv: readonly string[]): Promise<string> {
  return printedTo({ isTTY: false }, argv);
}

async function printedTo(where: { readonly isTTY: boolean; readonly columns?: number }, argv: readonly string[]) {
  const written: string[] = [];
  const stream = (name: string) =>
    Object.assign(Object.create(process.stdout), {
      ...where,
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

/** One of each kind: all commands, verbs, many options, a program. The others have their form by test/unit/cli/help.test.ts, and their words in one place. */
const helps: readonly string[] = ['', 'parked', 'parked resolve', 'deploy'];

test('--help of autopilot, of a command with verbs, of a verb and of a program', async () => {
  const shown = (await everyHelp()).filter(([path]) => helps.includes(path));
  const texts = shown.map(([path, help]) => `$ autopilot ${path} --help\n${help}\n`);

  await expect(texts.join('\n')).toMatchFileSnapshot('files/help.txt');
});

const refused = [
  [],
  ['uplaod', 'a.csv'],
  ['upload', 'a.csv', '--file-id'],
  ['upload', 'a.csv', '--fileid', 'x'],
  ['status', '--json=yes'],
  ['status', '--aws'],
  ['send', 'strat', 'nightly'],
  ['send', 'strat', 'nightly', '--json'],
  ['clock', '--aws', '--stage', 'prod'],
];

// On a terminal the examples of seven errors were rewritten into what the same command refuses.
test.each(refused.map((argv) => [argv]))('a terminal is refused in the words of a pipe: %j', async (argv) => {
  expect(await printedTo({ isTTY: true, columns: 200 }, argv)).toBe(await printed(...argv));
});

test('command lines that are refused', async () => {
  const texts: string[] = [];
  for (const argv of refused) texts.push(await printed(...argv));

  await expect(texts.join('\n')).toMatchFileSnapshot('files/refused-command-lines.txt');
});
