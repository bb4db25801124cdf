import { resolve } from 'node:path';
import { exitCodes } from '#cli/terminal/command.ts';
import { main } from '#cli/main.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { shellWord } from '#shared/text/command-line.ts';
import { keptTerminal } from '../../builders/kept-terminal.ts';

describe('the command line', () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each([
    ['status --stage a --stage b', '--stage is there 2 times (a and b)'],
    ['stop --all-in-flight --reason x --stage a --aws --stage b --yes', '--stage is there 2 times (a and b)'],
    ['history --limit 5 --limit 6', '--limit is there 2 times (5 and 6)'],
    ['parked resolve 12345678 --dismiss --reason x --data a --data b', '--data is there 2 times (a and b)'],
  ])('%s is refused in one sentence, and nothing is done', async (line, words) => {
    const { terminal, written } = keptTerminal();

    expect(await main(line.split(' '), terminal)).toBe(exitCodes.usage);
    expect(written.err).toContain(words);
    expect(written.out).toBe('');
  });

  // A hint named the command alone, which does nothing in the folder that the person is in.
  test('names the folder of -C in a command to paste', async () => {
    const { terminal, written } = keptTerminal({ NO_COLOR: '1' }, { isTTY: true });

    await main(['runbook', 'zzzzzz'], terminal, 'my stage');

    expect(written.err).toContain("npx --no -- autopilot -C 'my stage' runbook");
  });

  // An empty TZ ended each command with the stack trace of a RangeError.
  test('a terminal whose TZ is empty gets its sentence', async () => {
    vi.stubEnv('TZ', '');
    const { terminal, written } = keptTerminal({}, { isTTY: true });

    expect(await main(['park'], terminal)).toBe(exitCodes.usage);
    expect(written.err.trim().split('\n')).toEqual([
      expect.stringContaining('unknown command "park"'),
      '  npx --no -- autopilot --help',
    ]);
  });

  test.each([['help'], ['help', 'help'], ['--help'], ['help', '--stage', 'prod']])(
    '%s %s is the general help',
    async (...line) => {
      const { terminal, written } = keptTerminal();

      expect(await main(line, terminal)).toBe(exitCodes.done);
      expect(written.out).toContain('Usage: autopilot [options] [command]');
    },
  );

  test.each([
    [['park'], 'did you mean "parked"?'],
    // The general help, exit 0, as if there were no such word in the line.
    [['help', 'uplaod'], 'unknown command "uplaod": did you mean "upload"?'],
    [['help', '--stage', 'prod', 'zzzzzz'], 'unknown command "zzzzzz"'],
    [['toString'], 'unknown command "toString"'],
    [['upload', 'a.csv', '--file-id='], '--file-id needs a value'],
    [['upload', 'a.csv', '--file-id', '--name', 'x'], '--file-id needs a value'],
    [['clock', '-1h'], "unknown option '-1h'"],
    [['upload', '-dash.csv'], "unknown option '-dash.csv'"],
    [['status', 'extra'], 'unexpected argument "extra"'],
    [['parked', 'resolv'], 'unexpected argument "resolv": did you mean "resolve"?'],
    [
      ['upload', '--key', 'k', '--prefix', 'p', 'a.csv'],
      "option '--key <KEY>' cannot be used with option '--prefix <P>'",
    ],
    [['show'], "missing required argument 'WHAT'"],
    [['--local', 'start'], 'start takes its own options: nothing can be before it'],
  ])('%j ends with one clear sentence and the usage code', async (argv, sentence) => {
    const { terminal, written } = keptTerminal();

    expect(await main(argv, terminal)).toBe(exitCodes.usage);
    expect(written.out).toBe('');
    expect(written.err).toContain(sentence);
    const [, command, ...more] = written.err.trim().split('\n');
    expect([command ?? '  npx --no -- autopilot', more]).toEqual([
      expect.stringMatching(/^ {2}npx --no -- autopilot/),
      [],
    ]);
  });

  test.each([
    [['freeze', 'chat-bot'], 'pause chat-bot --reason TEXT', '. To pause it, with your reason in the place of TEXT'],
    [['freeze', 'INC-77'], 'freeze --reason INC-77'],
    [['freeze', 'chat-bot', '--reason', 'INC-77'], 'pause chat-bot --reason INC-77'],
    [['thaw', 'chat-bot'], 'resume chat-bot'],
    [['stop', 'nightly'], 'send stop nightly'],
    [['stop', 'all'], 'stop --all-in-flight --reason TEXT', '. Your reason goes in the place of TEXT'],
    [['parked', 'list', '3f9a12bc'], 'parked show 3f9a12bc'],
    [['parked', '3f9a12bc', '--data', 'x'], `parked show 3f9a12bc --data ${shellWord(resolve('x'))}`],
  ])('%j is answered with the command that was meant', async (argv, meant, says = '') => {
    const { terminal, written } = keptTerminal();

    expect(await main(argv, terminal)).toBe(exitCodes.usage);
    expect(written.err).toMatch(
      new RegExp(`unexpected argument "[\\w-]+"${says}\n  npx --no -- autopilot ${meant}\n$`),
    );
  });

  test.each([
    [['send', 'nightly', 'start'], 'send start nightly'],
    [['send', 'nightly', 'start', '--reason', 'INC-77'], 'send start nightly --reason INC-77'],
    [['parked', 'a.csv', 'show', '--data', 'x'], `parked show a.csv --data ${shellWord(resolve('x'))}`],
  ])('%j is answered with its words in their order', async (argv, meant) => {
    const { terminal, written } = keptTerminal();

    expect(await main(argv, terminal)).toBe(exitCodes.usage);
    expect(written.err).toMatch(
      new RegExp(`${argv[2]} comes before "${argv[1]}"\n  npx --no -- autopilot ${meant}\n$`),
    );
  });

  // In a pager or in the log of CI they lacked npx and the words that name the stage.
  test('commands in a pipe can be pasted as those of a terminal', async () => {
    const { terminal, written } = keptTerminal({ npm_command: 'exec', AUTOPILOT_DATA: 'my run' });

    await main(['status'], terminal);

    expect(written.err).toMatch(/\n {2}npx --no -- autopilot start --data '\/.*my run'\n/);
  });

  test.each([['runbook'], ['check', 'examples/datasets/prompt-injection.csv']])(
    '%s works if no stage has its state in the folder',
    async (...line) => {
      const { terminal } = keptTerminal({ AUTOPILOT_DATA: 'nothing-here' });

      expect(await main(line, terminal)).toBe(exitCodes.done);
    },
  );

  test('common options may stand before the command', async () => {
    const { terminal, written } = keptTerminal();

    await main(['--aws', '--stage', 'prod', 'clock'], terminal);

    expect(written.err).toContain('only the run on this machine');
  });

  test('--verbose shows if an error comes from, and nothing else does', async () => {
    const { terminal, written } = keptTerminal();

    await main(['status', '--aws', '--verbose'], terminal);

    expect(written.err).toMatch(/at .*target\.ts/);
  });
});
