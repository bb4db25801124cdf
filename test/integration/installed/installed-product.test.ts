import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { installArchive, packProduct } from '../../infra/package/install-package.ts';
import { readTemplates } from '../../infra/package/read-templates.ts';
import { type StageProcess, startStageOf } from '../stage/harness/stage-process.ts';

let folder: string;
let myStage: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'autopilot installed in ')));
  myStage = join(folder, 'my stage');
  await installArchive(await packProduct(folder), myStage, { type: 'module' });
  for (const name of ['automation.config.ts', 'examples/datasets']) {
    cpSync(join(packageFolder, name), join(myStage, name), { recursive: true });
  }
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How a program ended. */
interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const settings = { PATH: process.env['PATH'], HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', ...env };
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: myStage, env: settings }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

/** The command as npx finds it, for a person without credentials. */
const autopilot = async (...args: readonly string[]) =>
  run([join(myStage, 'node_modules', '.bin', 'autopilot'), ...args]);

test('an installation is two packages below 60 MB, and runs no script of theirs', () => {
  const { packages } = JSON.parse(readFileSync(join(myStage, 'node_modules', '.package-lock.json'), 'utf8'));
  const named = Object.keys(packages).filter((path) => /^node_modules\/[^/]+$/.test(path));

  expect(named.toSorted()).toEqual(['node_modules/aws-cdk', 'node_modules/gateway-autopilot']);
  expect(JSON.stringify(packages)).not.toContain('hasInstallScript');
  const ours = bytesIn(join(myStage, 'node_modules', 'gateway-autopilot'));
  expect(ours + bytesIn(join(packageFolder, 'node_modules', 'aws-cdk'))).toBeLessThan(60 * 1024 ** 2);
});

function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

describe('a stage of the installed product', () => {
  let stage: StageProcess;

  beforeAll(async () => {
    stage = await startStageOf(myStage, join(myStage, '.autopilot'));
  });

  afterAll(async () => stage.end('SIGKILL'));

  test('registers an upload', async () => {
    const { code, stdout } = await stage.autopilot('upload', 'examples/datasets/prompt-injection.csv');

    expect(stdout).toContain('registered with dataset id');
    expect(code).toBe(0);
  });

  test('says its version in status, finds nothing wrong, and plans what comes', async () => {
    const [status, doctor, plan] = await Promise.all([
      stage.autopilot('status'),
      stage.autopilot('doctor'),
      stage.autopilot('plan'),
    ]);

    expect(status.stdout).toContain(`stage local (${productVersion})`);
    expect(doctor, doctor.stdout).toMatchObject({ code: 0 });
    expect(plan.stdout).toContain('start nightly');
  });

  test('starts a run when its schedule is fired, and stops it at its time', async () => {
    const fired = await stage.autopilot('fire', 'weeknights');
    await stage.autopilot('clock', '+10h');
    const history = await stage.autopilot('history', 'nightly', '--json');

    expect(fired.stdout).toContain('applied');
    expect(history.stdout).toMatch(/"action": "stop"/);
  });

  test('serves its console', async () => {
    const { origin } = new URL(stage.console ?? '');
    const script = await fetch(new URL('/app.js', origin));

    expect(script.status).toBe(200);
    expect((await script.text()).length).toBeGreaterThan(10_000);
  });

  test('is found from its folder, without a word about where it lies', async () => {
    const { out } = await autopilot('status');

    expect(out).toContain('stage local');
  });

  test('ends in order, with its state kept', async () => {
    expect(await stage.end('SIGTERM')).toBe(0);
    expect(stage.output()).toContain('the state is kept');
  });
});

describe('a stage for an account', () => {
  test('is synthesized as the repository does it, templates, asset hashes and all', async () => {
    const { code, err } = await autopilot('synth', '--stage', 'prod');
    const ofRepository = join(folder, 'repository.out');
    const context = { stage: 'prod', config: join(myStage, 'automation.config.ts'), buildDir: join(folder, 'bundles') };
    await run([join(packageFolder, 'infra', 'app.ts')], {
      CDK_OUTDIR: ofRepository,
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify(context),
    });

    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('build/assembly/prod') });
    expect(readTemplates(join(myStage, 'build', 'assembly', 'prod'))).toEqual(readTemplates(ofRepository));
  });

  test('is deployed up to the credentials, which are missing', async () => {
    const { code, err } = await autopilot('deploy', '--stage', 'prod', '--yes');

    expect(code).toBe(1);
    expect(err).toContain('there are no AWS credentials here');
  });

  test('is refused with the place and the remedy of each mistake in the configuration', async () => {
    const text = readFileSync(join(myStage, 'automation.config.ts'), 'utf8');
    const other = join(myStage, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'automation.config.ts'), text.replace("'Europe/Dublin'", "'Mars/Olympus'"));

    const { code, err } = await autopilot('-C', other, 'synth', '--stage', 'prod');

    expect(code).toBe(2);
    expect(err).toMatch(/automation\.config\.ts, stage prod: one problem\n {2}timezone: /);
  });
});
