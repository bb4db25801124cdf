import { execFile, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { folderOfFile } from '../../builders/test-folder.ts';

const folder = join(folderOfFile(), 'autopilot begins in');
mkdirSync(folder);

const program = join(packageFolder, 'cli', 'autopilot.mjs');

/** Runs the command from a folder in which no stage lies. */
async function autopilot(...args: string[]) {
  return new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, HOME: folder };
    execFile(process.execPath, [program, ...args], { cwd: tmpdir(), env }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

describe('the command', () => {
  test('says its version', async () => {
    expect(await autopilot('--version')).toEqual({ code: 0, out: `gateway-autopilot ${productVersion}\n`, err: '' });
  });

  // It ended with the stack trace of the write. Only Linux has a file that is always full.
  test.runIf(process.platform === 'linux')('says in one sentence that its output has no room', () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));

    const { status, stderr } = spawnSync(process.execPath, [program, '--help'], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });

    expect(status).toBe(1);
    expect(stderr).toBe('autopilot: the output cannot be written (ENOSPC: no space left on device, write)\n');
  });

  test('works in the folder that -C names, whatever stands after it', async () => {
    const asked = await autopilot('-C', folder, 'synth', '--stage', 'prod');
    const status = await autopilot('-C', folder, 'status');

    expect(asked).toMatchObject({
      code: 2,
      err: expect.stringContaining(`there is no file ${join(folder, 'automation.config.ts')}: `),
    });
    expect(status.err).toContain(join(folder, '.autopilot'));
  });

  test.each([
    [['-C'], '-C needs the folder of a stage'],
    [['-C', '/not/there', 'status'], '-C /not/there is no folder that can be entered'],
  ])('%j is refused in one sentence', async (args, sentence) => {
    const { code, err } = await autopilot(...args);

    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});
