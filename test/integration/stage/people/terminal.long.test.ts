import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { runAutopilot, startStageProcess, until } from '../harness/stage-process.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

/** A command in a real terminal (a pseudo-terminal of util-linux's `script`), 80 columns wide. */
interface InTerminal {
  /** What the terminal was sent so far, without the codes of styles. */
  readonly shown: () => string;
  readonly press: (key: string) => void;
  readonly ended: Promise<number | null>;
}

const folder = folderOfFile();
const running: ChildProcess[] = [];

const hasScript = spawnSync('script', ['--version']).error === undefined;
if (!hasScript) process.stderr.write('skipped: there is no script (util-linux), so no real terminal was tried\n');

function autopilotInTerminal(line: string): InTerminal {
  const command = `exec "${process.execPath}" cli/autopilot.mjs ${line}`;
  const child = spawn('script', ['-qec', `stty cols 80 rows 40; ${command}`, '/dev/null'], {
    env: {
      ...process.env,
      AUTOPILOT_DATA: folder,
      npm_command: 'exec',
      FORCE_COLOR: undefined,
      NO_COLOR: undefined,
    },
  });
  running.push(child);
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  return {
    shown: () => stripVTControlCharacters(shown).replaceAll('\r', ''),
    press: (key) => void child.stdin.write(key),
    ended: once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null)),
  };
}

const stage = await startStageProcess(folder);

afterAll(async () => {
  for (const child of running) child.kill();
  await stage.end('SIGINT');
});

describe.skipIf(!hasScript)('in a real terminal', () => {
  test.each([
    ['one stage', `--data ${folder}`, 'INC-77'],
    ['several stages', `--data ${folder} --data ${join(folder, 'nothing-runs-here')}`, 'INC-78'],
  ])('status --watch of %s shows a freeze that another person makes, and Ctrl-C ends it', async (_what, of, reason) => {
    await runAutopilot(folder, ['thaw']);
    const watching = autopilotInTerminal(`status --watch ${of}`);
    await until('the first screen', async () => /needs attention/i.test(watching.shown()));
    const before = watching.shown();

    await runAutopilot(folder, ['freeze', '--reason', reason]);
    await until('the freeze', async () => watching.shown().includes(reason));
    watching.press('\u0003');

    expect(before).not.toContain('FROZEN');
    expect(await watching.ended).not.toBeNull();
  });

  test('history --follow shows what ends from now on, each once', async () => {
    const following = autopilotInTerminal('history --follow');
    await runAutopilot(folder, ['fire', 'weeknights', '--no-wait']);
    const line = /skipped FROZEN/g;
    await until('the skipped start', async () => line.test(following.shown()));
    await runAutopilot(folder, ['fire', 'weeknights', '--no-wait']);
    await until('the second', async () => ((following.shown().match(line) ?? []).length > 1 ? true : undefined));
    following.press('\u0003');

    expect(await following.ended).toBe(0);
    expect(following.shown().match(line)).toHaveLength(2);
  });

  // Sentences gave times in UTC, beside screens with those of the stage.
  test('the sentences of doctor and send have times by the clock of the stage, in a pipe with their date', async () => {
    const utc = /\d{4}-\d\d-\d\dT\d\d:\d\d/;
    const commands = [autopilotInTerminal('doctor'), autopilotInTerminal('send start nightly')];
    await Promise.all(commands.map(async ({ ended }) => ended));
    // However the lines are broken; the id of a command holds an instant.
    const [screen, sending] = commands.map(({ shown }) => shown().replaceAll(/\s+/g, ' ').replaceAll(/@\S+/g, ''));

    const piped = await runAutopilot(folder, ['doctor']);

    expect(piped.stdout).toMatch(/FROZEN by .*INC-78; .*\(since \w{3} \d+ \w{3} \d\d:\d\d\)/);
    expect(screen).toMatch(/FROZEN by .*? INC-78; .*? \(since \d\d:\d\d, /);
    expect(screen).not.toMatch(utc);
    expect(sending).toMatch(/skipped FROZEN: .* since \d\d:\d\d, /);
    expect(sending).not.toMatch(utc);
  });
});
