import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { sectionOf } from '../../unit/docs/documents/markdown.ts';
import { type LocalRegistry, startRegistry } from './local-registry.ts';

/** The blocks of README that begin a stage: from the registry, and from a checkout. */
const [fromRegistry = '', fromCheckout = ''] = [
  ...sectionOf(readFileSync(join(packageFolder, 'README.md'), 'utf8'), 'In a folder of your own').matchAll(
    /(?<=\n\n)(?: {4}\S.*\n)+/g,
  ),
].map(([block]) => block.replaceAll(/^ {4}/gm, ''));

let folder: string;
let checkout: string;
let registry: LocalRegistry;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'autopilot-typed-')));
  checkout = join(folder, 'checkout');
  copyCheckout();
  writePrograms();
  const cdk = join(packageFolder, 'node_modules', 'aws-cdk');
  execFileSync('npm', ['pack', cdk, '--pack-destination', folder, '--silent', '--ignore-scripts']);
  registry = await startRegistry(archivesIn(folder));
});

afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const archivesIn = (directory: string) =>
  readdirSync(directory).flatMap((name) => (name.endsWith('.tgz') ? [join(directory, name)] : []));

/** The files that a clone has, and the packages that `npm ci` would install. */
function copyCheckout(): void {
  const made = /^(?:\.git|node_modules|build|cdk\.out|coverage|\.autopilot.*)$/;
  cpSync(packageFolder, checkout, {
    recursive: true,
    filter: (path) => !made.test(relative(packageFolder, path)),
  });
  symlinkSync(join(packageFolder, 'node_modules'), join(checkout, 'node_modules'));
}

const pathOf = (program: string) => execFileSync('which', [program], { encoding: 'utf8' }).trim();

/** npm and npx as they are, but for two things: what `npm ci` installs is here, and the ports of a test are free ones. */
function writePrograms(): void {
  const programs = {
    npm: `[ "$1" = ci ] && exit 0\nexec '${pathOf('npm')}' "$@"`,
    npx: `[ "$*" = 'autopilot start' ] && set -- "$@" --port 0 --gateway-port 0\nexec '${pathOf('npx')}' "$@"`,
  };
  mkdirSync(join(folder, 'bin'));
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
}

/** Types the lines into a shell, and answers what it printed until the stage was ready. */
async function typed(lines: string, cwd: string): Promise<string> {
  const shell = spawn('bash', ['--norc', '-e', '-c', lines], {
    cwd,
    detached: true, // the shell with all that it started ends as a group
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: folder,
      npm_config_registry: registry.url,
      npm_config_cache: join(folder, 'cache'),
    },
  });
  let said = '';
  const ended = once(shell, 'close');
  const ready = new Promise<void>((resolve) => {
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (/^READY /m.test(said)) resolve();
      });
    }
  });
  await Promise.race([ready, ended]);
  if (shell.exitCode === null) process.kill(-(shell.pid ?? 0), 'SIGTERM');
  await ended;
  return said;
}

// The lines made ../my-stage and went to my-stage: typed as they stood, they failed.
test('the lines of README for a checkout, typed as they stand, make a stage that runs', async () => {
  expect(fromCheckout).toMatch(/^npm ci && npm run package\n/);

  expect(await typed(fromCheckout, checkout)).toMatch(/^READY \{/m);
});

test('its first lines, typed as they stand, make a stage that runs, from a registry that has the two packages', async () => {
  registry.close();
  registry = await startRegistry([...archivesIn(folder), ...archivesIn(join(checkout, 'build'))]);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  expect(fromRegistry).toMatch(/^npm create gateway-autopilot@latest my-stage\n/);

  expect(await typed(fromRegistry, empty)).toMatch(/^READY \{/m);
});
