import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { allOptions } from '../../infra/stacks/options.ts';
import { withDocument } from '../../infra/stacks/stage-with.ts';
import {
  type Archive,
  installExampleApp,
  installIn,
  packCreator,
  packProduct,
} from '../../infra/package/install-package.ts';
import { readTemplates } from '../../infra/package/read-templates.ts';
import { sectionOf } from '../../unit/docs/documents/markdown.ts';
import { openTab } from '../console/harness/test-console.ts';
import { type StageProcess, startStageOf } from '../stage/harness/stage-process.ts';

let folder: string;
let myStage: string;
let archive: Archive;
let created: Ended;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'autopilot installed in ')));
  myStage = join(folder, 'my stage');
  mkdirSync(join(folder, 'bin'));
  symlinkSync(process.execPath, join(folder, 'bin', 'node'));
  archive = await packProduct(folder);
  const creator = await packCreator(folder);
  // As npm create does it, which finds the program by its name in the package.
  const words = ['exec', '--yes', '--offline', '--package', creator.path, '--', 'create-gateway-autopilot'];
  created = await runProgram('npm', [...words, 'my stage', '--product', archive.path], folder);
  await installIn(myStage);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How a program ended. */
interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(cwd: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return runProgram(process.execPath, words, cwd, env);
}

async function runProgram(
  program: string,
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const path = [join(folder, 'bin'), process.env['PATH']].join(delimiter); // the Node of the machine may be an older one
  const settings = { PATH: path, HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', ...env };
  return new Promise((resolve) => {
    execFile(program, words, { cwd, env: settings }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

/**
 * Runs the CDK app by itself; the bundles lie as deep as those of the package, since their source
 * maps depend on it.
 */
async function synthesize(app: string, outDir: string, config: string): Promise<Ended> {
  return run(myStage, [app], {
    CDK_OUTDIR: outDir,
    CDK_VALIDATION: 'false',
    CDK_CONTEXT_JSON: JSON.stringify({ stage: 'prod', config, buildDir: join(folder, 'bundles') }),
  });
}

/** The command as npx finds it, for a person without credentials. */
const autopilot = async (...args: readonly string[]) =>
  run(myStage, [join(myStage, 'node_modules', '.bin', 'autopilot'), ...args]);

describe('the folder of a new stage', () => {
  test('is made in a word, and says what to do in it', () => {
    expect(created).toMatchObject({ code: 0, err: '' });
    expect(created.out).toBe(
      "The stage lies in my stage. Next:\n\n  cd 'my stage'\n  npm install\n  npx --no -- autopilot start\n",
    );
  });

  // They made ../my-stage and went to my-stage.
  test('is what the lines of README make', () => {
    const readme = sectionOf(readFileSync(join(packageFolder, 'README.md'), 'utf8'), 'In a folder of your own');
    const blocks = [...readme.matchAll(/(?<=\n\n)(?: {4}\S.*\n)+/g)].map(([block]) => block.replaceAll(/^ {4}/gm, ''));
    const made = blocks.map((block) => /(?:gateway-autopilot@latest|init) (\S+)/.exec(block)?.[1]);

    expect(made).toHaveLength(2);
    for (const [index, block] of blocks.entries()) expect(block).toContain(`cd ${made[index]} && npm install`);
  });

  test('is the same, byte by byte, by the creator and by autopilot init', async () => {
    const dependency = JSON.parse(readFileSync(join(myStage, 'package.json'), 'utf8')).dependencies[
      'gateway-autopilot'
    ];
    const { code } = await autopilot(
      'init',
      join(folder, 'second'),
      '--product',
      join(myStage, dependency.slice('file:'.length)),
    );

    expect(code).toBe(0);
    const first = filesIn(myStage);
    expect(filesIn(join(folder, 'second'))).toEqual({
      ...first,
      'package.json': withoutOverrides(first['package.json']),
    });
    expect(Object.keys(first)).toEqual(
      expect.arrayContaining(['.gitignore', '.github/workflows/autopilot.yml', '.nvmrc']),
    );
  });

  test('passes the compiler, and its configuration is read as it stands', async () => {
    const compiler = join(packageFolder, 'node_modules', 'typescript', 'bin', 'tsc');

    expect(await run(myStage, [compiler])).toEqual({ code: 0, out: '', err: '' });
  });
});

/** What was written, without what was installed or came of running it. */
function filesIn(directory: string): Readonly<Record<string, string>> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => !/^(?:node_modules|\.autopilot|build|other)\//.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
}

/** The tests alone say where the CDK comes from. */
function withoutOverrides(text = '{}'): string {
  const { overrides: _, ...manifest } = JSON.parse(text);
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

test('an installation is two packages below 60 MB, and runs no script of theirs', () => {
  const { packages } = JSON.parse(readFileSync(join(myStage, 'node_modules', '.package-lock.json'), 'utf8'));
  // All of them, nested and scoped ones too; the folder that aws-cdk is linked from is none.
  const named = Object.keys(packages).filter((path) => path.startsWith('node_modules/'));

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

  test('starts a run when its schedule is fired, and says how it ended', async () => {
    const fired = await stage.autopilot('fire', 'weeknights');
    await stage.autopilot('clock', '+10h');
    const history = await stage.autopilot('history', 'nightly', '--json');

    expect(fired.stdout).toMatch(/^weeknights: start nightly: begins /);
    expect(history.stdout).toMatch(/"state": "complete"/);
  });

  test('serves its console, which shows the stage to the tab that has its token', async () => {
    const { origin: url } = new URL(stage.console ?? '');
    const script = await fetch(`${url}/app.js`);
    const ask = await openTab({ url, newLink: () => stage.console ?? '' });
    const stages = await ask('/api/stages');

    expect((await script.text()).length).toBeGreaterThan(10_000);
    expect((await fetch(`${url}/api/stages`)).status).toBe(401);
    expect(stages.status).toBe(200);
    expect(await stages.text()).toContain('"local"');
  });

  test('names pages that are there', async () => {
    const { out } = await autopilot('doctor', '--help');
    const [page = 'none'] = /\S+\/docs\/\w+\.md/.exec(out) ?? [];

    expect(readFileSync(join(myStage, page), 'utf8')).toMatch(/^# /);
    expect((await autopilot('runbook', 'GateClosed')).out).toMatch(/^### GateClosed\n/);
  });

  test('ends in order, with its state kept', async () => {
    expect(await stage.end('SIGTERM')).toBe(0);
    expect(stage.output()).toContain('the state is kept');
  });
});

describe('a CDK app of a person', () => {
  test('has the stacks of a stage beside its own, by the same archive', async () => {
    const app = join(folder, 'own app');
    await installExampleApp(archive, app);
    const CDK_OUTDIR = join(folder, 'own app.out');

    expect(await run(app, ['app.ts'], { CDK_OUTDIR })).toEqual({ code: 0, out: '', err: '' });
    expect(Object.keys(readTemplates(CDK_OUTDIR))).toEqual([
      'GatewayAutopilot-prod-State',
      'GatewayAutopilot-prod-Workers',
      'Ours',
    ]);
  });

  // It was a stack trace of the package's own code.
  test('reads in one sentence which packages it lacks', async () => {
    const { code, err } = await run(myStage, ['--input-type=module', '-e', "import 'gateway-autopilot'"]);

    expect(code).toBe(1);
    expect(err).toContain('needs aws-cdk-lib and constructs in your app: npm install aws-cdk-lib constructs');
    expect(err).not.toMatch(/^ {4}at /m);
  });
});

describe('a stage for an account', () => {
  test('is synthesized as the repository does it, templates, asset hashes and all', async () => {
    const { code, err } = await autopilot('synth', '--stage', 'prod');
    const ofRepository = join(folder, 'repository.out');
    await synthesize(join(packageFolder, 'infra', 'app.ts'), ofRepository, join(myStage, 'automation.config.ts'));

    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('build/assembly/prod') });
    expect(readTemplates(join(myStage, 'build', 'assembly', 'prod'))).toEqual(readTemplates(ofRepository));
  });

  // The bundle could lack a module that one option alone needs.
  test('with every option of an account is synthesized as the repository does it', async () => {
    await withDocument(allOptions, 'prod', async ({ configPath }) => {
      const outputs = [join(folder, 'by-product.out'), join(folder, 'by-repository.out')] as const;
      const [byProduct, byRepository] = await Promise.all([
        synthesize(join(myStage, 'node_modules', 'gateway-autopilot', 'infra', 'app.mjs'), outputs[0], configPath),
        synthesize(join(packageFolder, 'infra', 'app.ts'), outputs[1], configPath),
      ]);

      expect(byProduct).toEqual({ code: 0, out: '', err: '' });
      expect(byRepository.code).toBe(0);
      expect(readTemplates(outputs[0])).toEqual(readTemplates(outputs[1]));
    });
  });

  test('is deployed up to the credentials, which are missing', async () => {
    const { code, err } = await autopilot('deploy', '--stage', 'prod', '--yes');

    expect(code).toBe(1);
    expect(err).toContain('there are no AWS credentials here');
  });
});
