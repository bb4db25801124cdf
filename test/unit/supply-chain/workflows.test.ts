import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';

const read = (path: string) => readFileSync(join(packageFolder, path), 'utf8');
const paths = [...globSync('.github/workflows/*.yml', { cwd: packageFolder }), 'create/template/workflow.yml'];
const blockOf = (workflow: string, key: string) =>
  new RegExp(`^${key}:\\n((?: +.*\\n)+)`, 'm').exec(workflow)?.[1] ?? '';

/** The jobs of a workflow by their names, each without its comment. */
function jobsOf(workflow: string): Readonly<Record<string, string>> {
  const [, jobs = ''] = workflow.split(/^jobs:\n/m);
  const texts = jobs.split(/^(?= {2}\w+:\n)/m).filter((text) => /^ {2}\w/.test(text));
  return Object.fromEntries(texts.map((text) => [/\w+/.exec(text)?.[0] ?? '', text]));
}

/** Permissions beyond reading. */
const rightsOf = (text: string) => [...text.matchAll(/^ +([\w-]+): write\b/gm)].map(([, right]) => right);

describe.each(paths)('the workflow %s', (path) => {
  const workflow = read(path);

  test('pins each action to a commit, with the version beside it', () => {
    const uses = workflow.split('\n').filter((line) => /\buses:/.test(line));

    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/^ +- uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('may read the repository and nothing else, but for a job that says why', () => {
    expect(blockOf(workflow, 'permissions').trim()).toBe('contents: read');
    for (const line of workflow.split('\n').filter((one) => one.includes(': write'))) expect(line).toMatch(/ # \w/);
    expect(workflow).not.toMatch(/\bsecrets\.|pull_request_target/);
  });

  test('keeps no credentials for its steps', () => {
    const checkouts = workflow.split(/uses: actions\/checkout@/).slice(1);

    expect(checkouts.length).toBeGreaterThan(0);
    for (const step of checkouts) expect(step).toMatch(/^\S+ # \S+\n +with:\n +persist-credentials: false\n/);
  });

  test('ends a job that hangs', () => {
    for (const [name, job] of Object.entries(jobsOf(workflow)))
      expect(job, name).toMatch(/^ {4}timeout-minutes: \d+$/m);
  });
});

describe('ci', () => {
  const workflow = read('.github/workflows/ci.yml');

  test('runs what other installations run, and has no other right than to read', () => {
    expect(workflow.match(/^ +- run: .*$/gm)).toEqual(['      - run: .ci/node', '      - run: .ci/run']);
    expect(rightsOf(workflow)).toEqual([]);
  });
});

/** Runs a script in a folder of its own, with stand-ins for the programs that leave this machine. */
function runScript(script: string, { programs, env }: { programs: Readonly<Record<string, string>>; env: object }) {
  const folder = mkdtempSync(join(tmpdir(), 'autopilot script '));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [program, text] of Object.entries(programs)) {
    writeFileSync(join(folder, program), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  }
  for (const archive of archives) writeFileSync(join(folder, archive), archive);
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-e', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env['PATH']}`, TMPDIR: folder, ...env },
  });
  const said = (stdout + stderr).split('\n').filter((line) => line !== '');
  return { status, said, folder };
}

const archives = ['gateway-autopilot-1.2.3.tgz', 'create-gateway-autopilot-1.2.3.tgz'] as const;
const integrity = (archive: string) => `sha512-${createHash('sha512').update(archive).digest('base64')}`;

describe('release', () => {
  const { test: tests = '', build = '', publish = '', ...others } = jobsOf(read('.github/workflows/release.yml'));

  test('publishes in a job that runs no code of the project, after a reviewer has agreed', () => {
    expect(others).toEqual({});
    expect([rightsOf(tests), rightsOf(build)]).toEqual([[], []]);
    expect(rightsOf(publish)).toEqual(['contents', 'id-token', 'attestations']);
    expect(publish).not.toMatch(/actions\/checkout|npm (?:ci|install|run)|npx/);
    expect(publish).toMatch(/^ {4}environment: npm\b/m);
    expect(publish).toContain('needs: [test, build]');
  });

  test('publishes what another job made than the one that runs the tests', () => {
    expect(tests.match(/- run: .*$/gm)).toEqual(['- run: .ci/node', '- run: .ci/run']);
    expect(build.match(/- run: .*?(?= #|$)/gm)).toEqual([
      '- run: .ci/node',
      '- run: npm ci',
      '- run: rm node_modules/.bin/node',
      '- run: npm run release',
    ]);
    expect(publish.indexOf('sha256sum --check')).toBeLessThan(publish.indexOf('npm publish'));
  });

  /** Runs the step of a name as the runner does it. */
  function runStep(name: string, programs: Readonly<Record<string, string>>) {
    const [, script = ''] =
      new RegExp(`- name: ${name}\\n(?: {8}\\w.*\\n)*? {8}run: \\|\\n((?: {10}.*\\n)+)`).exec(publish) ?? [];
    expect(script).not.toBe('');
    const { status, said } = runScript(script, { programs, env: { GITHUB_REF_NAME: 'v1.2.3', GH_REPO: 'a/b' } });
    return { status, said };
  }

  const publishStep = 'publish the product, then its creator, unless this very archive is published already';

  test('publishes the product before its creator, which depends on it', () => {
    const { status, said } = runStep(publishStep, { npm: '[ "$1" = view ] && exit 1; echo "npm $*"' });

    expect({ status, said }).toEqual({
      status: 0,
      said: archives.map((archive) => `npm publish ./${archive} --access public`),
    });
  });

  // A person publishes 1.0.0 by hand, and a run can be repeated.
  test('passes over an archive that is published already, and stops at another one of that version', () => {
    const same = `[ "$2" = gateway-autopilot@1.2.3 ] && echo ${integrity(archives[0])} || echo ${integrity(archives[1])}`;
    const again = runStep(publishStep, { npm: same });
    const other = runStep(publishStep, { npm: `[ "$1" = view ] && echo sha512-other` });

    expect(again).toMatchObject({
      status: 0,
      said: [expect.stringContaining('is this archive'), expect.stringContaining('is this archive')],
    });
    expect(other).toMatchObject({
      status: 1,
      said: ['gateway-autopilot 1.2.3 is published already, and is another archive: sha512-other'],
    });
  });

  test.each([
    ['an annotated tag that GitHub verified', { tag: 'abc', reason: '' }, []],
    ['a tag without a signature', { tag: '', reason: '' }, ['v1.2.3 is no annotated tag, so it has no signature']],
    [
      'a signature by a key that GitHub does not know',
      { tag: 'abc', reason: 'unknown_key' },
      ['the signature of v1.2.3 does not hold: unknown_key'],
    ],
  ])('judges %s', (_what, { tag, reason }, said) => {
    const gh = `case "$2" in repos/a/b/git/ref/tags/v1.2.3) printf '%s' '${tag}' ;; repos/a/b/git/tags/abc) printf '%s' '${reason}' ;; *) exit 9 ;; esac`;

    expect(runStep('the tag is signed, and GitHub knows the key', { gh })).toEqual({ status: said.length, said });
  });
});

describe('the Node of a workflow', () => {
  const archive = 'the archive of Node';
  const name = `node-v${readFileSync('.nvmrc', 'utf8').trim()}-linux-x64`;

  /** `.ci/node` with programs that answer as the network and tar would, and what it puts on the PATH. */
  function setUp(published: string): { readonly status: number | null; readonly path: string } {
    const curl = `printf '%s' '${archive}' > ${name}.tar.xz; echo '${published}  ${name}.tar.xz' > SHASUMS256.txt`;
    const script = `TMPDIR="$PWD" GITHUB_PATH="$PWD/path" GITHUB_ENV="$PWD/env" "${join(packageFolder, '.ci', 'node')}"`;
    const { status, folder } = runScript(script, { programs: { curl, tar: 'true' }, env: {} });
    const path = join(folder, 'path');
    return { status, path: existsSync(path) ? readFileSync(path, 'utf8') : '' };
  }

  test('is the archive that the Node project publishes, and another one ends the workflow', () => {
    const good = setUp(createHash('sha256').update(archive).digest('hex'));
    const other = setUp(createHash('sha256').update('another').digest('hex'));

    expect(good).toMatchObject({ status: 0, path: expect.stringContaining(`${name}/bin`) });
    expect(other).toMatchObject({ status: 1, path: '' });
  });

  test('runs whatever is of the project: no job leaves the copy of npm before it', () => {
    for (const path of globSync('.github/workflows/*.yml')) {
      for (const job of readFileSync(path, 'utf8').split(/^  (?=\w+:$)/m)) {
        const installs = /run: (?:npm ci|\.ci\/run)$/m.test(job);
        expect(job.includes('run: .ci/node'), `${path}: ${job.slice(0, 20)}`).toBe(installs);
        const leavesIt = /run: npm ci\n(?! {6}- run: rm node_modules\/\.bin\/node)/.test(job);
        expect(leavesIt, path).toBe(false);
      }
    }
  });
});
