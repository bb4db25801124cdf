import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';

const scripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(packageFolder, 'package.json'), 'utf8'),
).scripts;
const run = (...args: readonly string[]) => spawnSync(process.execPath, args, { cwd: packageFolder, encoding: 'utf8' });

describe.each([
  ['check', ['test/check.mjs']],
  ['docs', ['test/unit/docs/documents/write-document.ts']],
  ['package', ['infra/package/package.ts']],
])('npm run %s', (name, args) => {
  test('is the program of package.json, and says what stands behind it', () => {
    expect(scripts[name]).toContain(args.join(' '));
    expect(run(...args, '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining(`npm run ${name} `) });
  });

  test('refuses a word that it does not know', () => {
    expect(run(...args, 'nothing')).toMatchObject({ status: 2, stderr: expect.stringContaining('nothing') });
  });
});

const measure = (code: string) => run('test/measure-command.mjs', process.execPath, '-e', code);

describe('measure-command', () => {
  test('ends as the command ends', () => {
    expect(measure('process.exit(3)').status).toBe(3);
    expect(measure('process.kill(process.pid)').status).toBe(1);
  });

  test.skipIf(process.platform !== 'linux')('adds up the memory of processes below the command', () => {
    const child = 'const full = Buffer.alloc(200e6, 1); setTimeout(() => full.length, 2000)';
    const both = `const { spawn } = require('child_process'); for (const n of [1, 2]) spawn(process.execPath, ['-e', ${JSON.stringify(child)}])`;

    const [, mebibytes] = /(\d+) MiB at most/.exec(measure(both).stdout) ?? [];

    expect(Number(mebibytes)).toBeGreaterThan(380);
  });
});
