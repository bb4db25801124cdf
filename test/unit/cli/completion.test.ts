import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completionOf } from '#cli/completion.ts';
import { runbookPages } from '#cli/runbook.ts';
import { commandList } from '#cli/command-list.ts';
import { argumentsOf, textOf } from '../operator/fake-deps.ts';

async function scriptOf(shell: string): Promise<string> {
  const command = completionOf(commandList);
  return textOf(await command.run(argumentsOf(command, shell)));
}

/** What a real bash offers after these words; the last one is what was typed so far. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const script = await scriptOf('bash');
  const typed = words.map((word) => `'${word}'`).join(' ');
  const asked = `${script}\nCOMP_WORDS=(autopilot ${typed}); COMP_CWORD=${words.length}; _autopilot; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', asked], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

describe('completion in bash', () => {
  test('offers every command', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(Object.keys(commandList)));
  });

  test('offers the words and the options of the command that was typed', async () => {
    expect(await offered('parked', 'r')).toEqual(['resolve']);
    expect(await offered('parked', 'resolve', '--app')).toEqual(['--applied']);
    expect(await offered('--aws', '--stage', 'prod', 'send', 'st')).toEqual(['start', 'stop']);
  });

  // `send start ` offered start, stop and update again, and no option offered a value.
  test('offers a word of a command once, and then its options', async () => {
    expect(await offered('send', 'start', 's')).toEqual([]);
    expect(await offered('send', 'start', '--rea')).toEqual(['--reason']);
    expect(await offered('runbook', 'CHECK')).toEqual(['CHECK_FAILED']);
  });

  // Only the reasons that park work were offered: no alarm, and no thing to do.
  test('offers every page of the runbook', async () => {
    expect(await offered('runbook', '')).toEqual(expect.arrayContaining(runbookPages().map(({ name }) => name)));
    expect(await offered('runbook', 'Roll')).toEqual(['Roll-back']);
  });

  test('offers the values of an option, and leaves file names to bash', async () => {
    expect(await offered('send', 'start', 'nightly', '--override', 'b')).toEqual(['blackout', 'budget']);
    expect(await offered('upload', 'a.csv', '--encoding', 'win')).toEqual(['windows-1252', 'windows-1251']);
    expect(await offered('status', '--data', '')).toEqual([]);
  });

  test('offers the options of a program, and what stands before every command', async () => {
    expect(await offered('deploy', '--allow')).toEqual(['--allow-replace']);
    expect(await offered('start', '--gateway-')).toEqual([
      '--gateway-port',
      '--gateway-profile',
      '--gateway-run-length',
      '--gateway-late',
    ]);
    expect(await offered('--vers')).toEqual(['--version']);
    expect(await offered('-C')).toEqual(['-C']);
  });

  test('offers nothing that the command does not take', async () => {
    expect(await offered('status', '--rep')).toEqual([]);
  });
});

/** Runs a shell, or says aloud that it is not there. */
function outputOf(shell: string, options: readonly string[], input = ''): string | undefined {
  const { error, status, stdout, stderr } = spawnSync(shell, options, { input, encoding: 'utf8' });
  if (error !== undefined) {
    process.stderr.write(`skipped: ${shell} is not installed, so its completion was not tried\n`);
    return undefined;
  }
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

test('zsh reads its script', async () => {
  const script = await scriptOf('zsh');

  outputOf('zsh', ['-n'], script);
  expect(script).toMatch(/^#compdef autopilot\n/);
});

test('fish offers the words of the command that was typed', async () => {
  const script = await scriptOf('fish');

  const offers = outputOf('fish', ['-c', `${script}\ncomplete -C 'autopilot parked r'`]);

  expect(offers ?? 'resolve\n').toBe('resolve\n');
});

test('a shell that is not known is refused', async () => {
  await expect(scriptOf('powershell')).rejects.toThrow('autopilot completion bash|zsh|fish');
});

// Only a shell in a terminal completes at the Tab key.
test.skipIf(spawnSync('script', ['--version']).error !== undefined)('bash completes in a real terminal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'autopilot-completion-'));
  const settings = join(folder, 'bashrc');
  writeFileSync(settings, `autopilot() { printf '<%s>' "$@"; echo; }\n${await scriptOf('bash')}\n`);
  const keys = 'autopilot par\tres\t\rautopilot send start nightly --override bla\t\rexit\r';
  // Without a file, what is typed here does not end up in the history of the person who runs the tests.
  const env = { ...process.env, HOME: folder, HISTFILE: '' };
  const bash = spawn('script', ['-qec', `bash --rcfile ${settings} -i`, '/dev/null'], { env });
  let shown = '';
  bash.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  bash.stdin.write(keys);

  await once(bash, 'close');

  expect(shown).toContain('<parked><resolve>');
  expect(shown).toContain('<send><start><nightly><--override><blackout>');
  expect(readdirSync(folder)).toEqual(['bashrc']);
  rmSync(folder, { recursive: true });
});
