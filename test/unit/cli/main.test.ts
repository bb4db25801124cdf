import { join } from 'node:path';
import type { Terminal } from '#cli/command-deps.ts';
import { commandList } from '#cli/command-list.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { main } from '#cli/main.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';

/** A terminal that keeps what is written. */
function fakeTerminal(env: Record<string, string> = {}, isTTY = false) {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') =>
    Object.assign(Object.create(process.stdout), {
      isTTY,
      write: (text: string) => {
        written[name] += text;
        return true;
      },
    });
  const terminal: Terminal = {
    env,
    stdin: process.stdin,
    stdout: stream('out'),
    stderr: stream('err'),
    cwd: () => join(import.meta.dirname, 'nowhere'),
    once: () => process,
  };
  return { terminal, written };
}

describe('the command line', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('--help lists every command, the exit codes and examples', async () => {
    const { terminal, written } = fakeTerminal();

    expect(await main(['--help'], terminal)).toBe(exitCodes.done);
    for (const name of Object.keys(commandList)) expect(written.out).toContain(`\n  ${name} `);
    for (const code of Object.values(exitCodes)) expect(written.out).toContain(`\n  ${code}  `);
    expect(written.out).toContain('Examples');
  });

  test.each(Object.keys(commandList))('%s --help has examples, and fits a terminal', async (name) => {
    const { terminal, written } = fakeTerminal();

    expect(await main([name, '--help'], terminal)).toBe(exitCodes.done);
    expect(written.out).toContain(`autopilot ${name}`);
    expect(written.out).toContain('Examples');
    expect(Math.max(...written.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each([
    ['status --stage a --stage b', '--stage is there 2 times (a and b)'],
    ['stop --all-in-flight --reason x --stage a --aws --stage b --yes', '--stage is there 2 times (a and b)'],
    ['history --limit 5 --limit 6', '--limit is there 2 times (5 and 6)'],
  ])('%s is refused in one sentence, and nothing is done', async (line, words) => {
    const { terminal, written } = fakeTerminal();

    expect(await main(line.split(' '), terminal)).toBe(exitCodes.usage);
    expect(written.err).toContain(words);
    expect(written.out).toBe('');
  });

  // A hint named the command alone, which does nothing in the folder that the person is in.
  test('names the folder of -C in a command to paste', async () => {
    const { terminal, written } = fakeTerminal({ NO_COLOR: '1' }, true);

    await main(['runbook', 'zzzzzz'], terminal, 'my stage');

    expect(written.err).toContain("npx --no autopilot -C 'my stage' runbook");
  });

  // An empty TZ ended each command with the stack trace of a RangeError.
  test('a terminal whose TZ is empty gets its one sentence', async () => {
    vi.stubEnv('TZ', '');
    const { terminal, written } = fakeTerminal({}, true);

    expect(await main(['park'], terminal)).toBe(exitCodes.usage);
    expect(written.err.trim().split('\n')).toEqual([expect.stringContaining('there is no command "park"')]);
  });

  test('help of a command comes by the word too', async () => {
    const { terminal, written } = fakeTerminal();

    await main(['help', 'send'], terminal);

    expect(written.out).toContain('autopilot send start|stop RUN');
  });

  test.each([['help'], ['help', 'help'], ['--help'], ['help', '--stage', 'prod'], ['--local', 'help', 'start']])(
    '%s %s is the general help',
    async (...line) => {
      const { terminal, written } = fakeTerminal();

      expect(await main(line, terminal)).toBe(exitCodes.done);
      expect(written.out).toContain('autopilot COMMAND [options]');
    },
  );

  test.each([
    [['uplaod', 'a.csv'], 'there is no command "uplaod": did you mean "upload"?'],
    [['park'], 'did you mean "parked"?'],
    // The general help, exit 0, as if there were no such word in the line.
    [['help', 'uplaod'], 'there is no command "uplaod": did you mean "upload"?'],
    [['help', '--stage', 'prod', 'zzzzzz'], 'there is no command "zzzzzz"'],
    [['toString'], 'there is no command "toString"'],
    [[], 'which command?'],
    [['upload', 'a.csv', '--file-id'], '--file-id needs a value'],
    [['upload', 'a.csv', '--file-id='], '--file-id needs a value and got an empty one'],
    [['upload', 'a.csv', '--file-id', '--name', 'x'], '--file-id needs a value'],
    // It named -1, a part of what was typed.
    [['clock', '-1h'], 'nothing takes less than zero, like -1h; the clock only moves forward'],
    [['upload', '-dash.csv'], 'there is no option -d; a file -dash.csv is ./-dash.csv'],
    [['upload', 'a.csv', '--fileid', 'x'], 'there is no option --fileid: did you mean "--file-id"?'],
    [['status', '--json=yes'], '--json takes no value'],
    [['clock', '--aws', '--stage', 'prod'], 'only the run on this machine'],
    [['status', '--aws'], 'the stage must be named'],
  ])('%j ends with one clear sentence and the usage code', async (argv, sentence) => {
    const { terminal, written } = fakeTerminal();

    expect(await main(argv, terminal)).toBe(exitCodes.usage);
    expect(written.out).toBe('');
    expect(written.err).toContain(sentence);
    const [, command, ...more] = written.err.trim().split('\n');
    expect([command ?? '  npx --no autopilot', more]).toEqual([expect.stringMatching(/^ {2}npx --no autopilot/), []]);
  });

  // In a pager or in the log of CI they lacked npx and the words that name the stage.
  test('commands in a pipe can be pasted as those of a terminal', async () => {
    const { terminal, written } = fakeTerminal({ npm_command: 'exec', AUTOPILOT_DATA: 'my run' });

    await main(['status'], terminal);

    expect(written.err).toContain("npx --no autopilot start --data 'my run'");
  });

  test.each(['bash', 'zsh', 'fish'])(
    'a completion script of %s stays as it is, however it was called',
    async (shell) => {
      const [plain, byNpx] = [fakeTerminal(), fakeTerminal({ npm_command: 'exec' })];

      await main(['completion', shell], plain.terminal);
      await main(['completion', shell], byNpx.terminal);

      expect(byNpx.written.out).toBe(plain.written.out);
    },
  );

  test.each([['completion', 'bash'], ['runbook'], ['check', 'examples/datasets/prompt-injection.csv']])(
    '%s works if no stage has its state in the folder',
    async (...line) => {
      const { terminal } = fakeTerminal({ AUTOPILOT_DATA: 'nothing-here' });

      expect(await main(line, terminal)).toBe(exitCodes.done);
    },
  );

  test('with --json an error is a document on stdout', async () => {
    const { terminal, written } = fakeTerminal();

    await main(['send', 'strat', 'nightly', '--json'], terminal);

    expect(JSON.parse(written.out)).toMatchObject({ error: { code: 'USAGE' }, exitCode: exitCodes.usage });
    expect(written.err).toBe('');
  });

  test('common options may stand before the command', async () => {
    const { terminal, written } = fakeTerminal();

    await main(['--aws', '--stage', 'prod', 'clock'], terminal);

    expect(written.err).toContain('only the run on this machine');
  });

  test('--verbose shows if an error comes from, and nothing else does', async () => {
    const { terminal, written } = fakeTerminal();

    await main(['status', '--aws', '--verbose'], terminal);

    expect(written.err).toMatch(/at .*target\.ts/);
  });
});
