import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  runAutopilot,
  type StageProcess,
  startStageProcess,
  temporaryFolder,
  until,
} from '../harness/stage-process.ts';

/** A command in a real terminal (a pseudo-terminal of util-linux's `script`), 80 columns wide. */
interface InTerminal {
  /** What the terminal was sent so far, without the codes of styles. */
  readonly shown: () => string;
  readonly press: (key: string) => void;
  readonly ended: Promise<number | null>;
}

const folder = temporaryFolder();
const running: ChildProcess[] = [];
let stage: StageProcess;

const hasScript = spawnSync('script', ['--version']).error === undefined;
if (!hasScript) process.stderr.write('skipped: there is no script (util-linux), so no real terminal was tried\n');

const program = `"${process.execPath}" cli/autopilot.mjs`;

function inTerminal(command: string): InTerminal {
  const child = spawn('script', ['-qec', `stty cols 80 rows 40; exec ${command}`, '/dev/null'], {
    env: {
      ...process.env,
      AUTOPILOT_DATA: folder.path,
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

const autopilotInTerminal = (line: string): InTerminal => inTerminal(`${program} ${line}`);

beforeAll(async () => {
  stage = await startStageProcess(folder.path);
});

afterAll(async () => {
  for (const child of running) child.kill();
  await stage.end('SIGINT');
  folder.remove();
});

describe.skipIf(!hasScript)('in a real terminal', () => {
  test('status --watch shows a freeze that another person makes, and Ctrl-C ends it', async () => {
    const watching = autopilotInTerminal('status --watch');
    await until('the first screen', async () => (watching.shown().includes('Needs attention') ? true : undefined));
    const before = watching.shown();

    await runAutopilot(folder.path, ['freeze', '--reason', 'INC-77']);
    await until('the freeze', async () => (watching.shown().includes('FROZEN') ? true : undefined));
    watching.press('\u0003');

    expect(before).not.toContain('FROZEN');
    expect(await watching.ended).toBe(0);
  });

  test('status of several stages with --watch shows a freeze of the one beside the other, and Ctrl-C ends it', async () => {
    await runAutopilot(folder.path, ['thaw']);
    const watching = autopilotInTerminal(
      `status --data ${folder.path} --data ${join(folder.path, 'nothing-runs-here')} --watch`,
    );
    await until('the first screen', async () => (/nothing-runs-here/.test(watching.shown()) ? true : undefined));
    const before = watching.shown();

    await runAutopilot(folder.path, ['freeze', '--reason', 'INC-78']);
    await until('the freeze', async () => (watching.shown().includes('INC-78') ? true : undefined));
    watching.press('\u0003');

    expect(before).not.toContain('FROZEN');
    expect(await watching.ended).not.toBeNull();
    expect(watching.shown().split('nothing-runs-here').length).toBeGreaterThan(
      before.split('nothing-runs-here').length,
    );
  });

  test('history --follow shows what ends from now on, each once', async () => {
    const following = autopilotInTerminal('history --follow');
    await runAutopilot(folder.path, ['fire', 'weeknights', '--no-wait']);
    const line = /skipped FROZEN/g;
    await until('the skipped start', async () => (line.test(following.shown()) ? true : undefined));
    await runAutopilot(folder.path, ['fire', 'weeknights', '--no-wait']);
    await until('the second', async () => ((following.shown().match(line) ?? []).length > 1 ? true : undefined));
    following.press('\u0003');

    expect(await following.ended).toBe(0);
    expect(following.shown().match(line)).toHaveLength(2);
  });

  test('no line is wider than the terminal, and a command that is named can be pasted', async () => {
    const screen = autopilotInTerminal('status');

    expect(await screen.ended).toBe(0);
    const lines = screen.shown().split('\n');
    const wide = lines.filter((line) => line.length > 80 && !line.includes('autopilot '));
    expect(wide).toEqual([]);
    expect(screen.shown()).toContain('npx --no autopilot thaw');
  });

  // Sentences gave times in UTC, beside screens with those of the stage.
  test('the sentences of doctor and send have times by the clock of the stage, in a pipe with their date', async () => {
    const utc = /\d{4}-\d\d-\d\dT\d\d:\d\d/;
    const commands = [autopilotInTerminal('doctor'), autopilotInTerminal('send start nightly')];
    await Promise.all(commands.map(async ({ ended }) => ended));
    // However the lines are broken; the id of a command holds an instant.
    const [screen, sending] = commands.map(({ shown }) => shown().replaceAll(/\s+/g, ' ').replaceAll(/@\S+/g, ''));

    const piped = await runAutopilot(folder.path, ['doctor']);

    expect(piped.stdout).toMatch(/FROZEN by .*INC-78; .*\(since \w{3} \d+ \w{3} \d\d:\d\d\)/);
    expect(screen).toMatch(/FROZEN by .*? INC-78; .*? \(since \d\d:\d\d, /);
    expect(screen).not.toMatch(utc);
    expect(sending).toMatch(/skipped FROZEN: .* since \d\d:\d\d, /);
    expect(sending).not.toMatch(utc);
  });
});
