import { main } from '#cli/main.ts';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { keptTerminal } from '../builders/kept-terminal.ts';
import { everyHelp } from '../unit/cli/command-specs.ts';

/** What a command line prints, without colours, and how it ends. */
async function printed(argv: readonly string[], where?: Parameters<typeof keptTerminal>[1]): Promise<string> {
  const { terminal, written } = keptTerminal({}, where);
  const exitCode = await main(argv, terminal);
  const { out, err } = written;
  const text = stripVTControlCharacters(`${out && `stdout: ${out}`}${err && `stderr: ${err}`}`);
  return [`$ autopilot ${argv.join(' ')}`, text, `exit code ${exitCode}`, ''].join('\n');
}

/** One of each kind: all commands, verbs, many options, a program. The others have their form by test/unit/cli/help.test.ts, and their words in one place. */
const helps = new Set(['', 'parked', 'parked resolve', 'deploy']);

test('--help of autopilot, of a command with verbs, of a verb and of a program', async () => {
  const shown = (await everyHelp()).filter(([path]) => helps.has(path));
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
  expect(await printed(argv, { isTTY: true, columns: 200 })).toBe(await printed(argv));
});

test('command lines that are refused', async () => {
  const texts: string[] = [];
  for (const argv of refused) texts.push(await printed(argv));

  await expect(texts.join('\n')).toMatchFileSnapshot('files/refused-command-lines.txt');
});
