/**
 * `npm run release -- --dry-run`: makes what a release publishes, in build/release: the archive, the bill of materials, the licences, the notes and
 * their digests. It packs twice and compares, so that every reader can make the same archive. It publishes nothing: the workflow of a tag does.
 * Without --dry-run it also wants the tag of the version on a commit without changes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { packageFolder } from '#shared/places.ts';
import { buildCreatorPackage, buildPackage } from '../package/build-package.ts';
import { repositoryProblem } from '../package/manifests.ts';
import { readChangelog, releaseProblems } from './changelog.ts';

const buildDir = join(packageFolder, 'build');
const outDir = join(buildDir, 'release');

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  const versions = readChangelog(readFileSync(join(packageFolder, 'CHANGELOG.md'), 'utf8'));
  const place = repositoryProblem() ?? [];
  if (values['dry-run']) for (const warning of [place].flat()) console.error(`warning: ${warning}`);
  refuse([...releaseProblems(versions, productVersion), ...(values['dry-run'] ? [] : [place, tagProblems()].flat())]);

  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const [archives, again] = [await pack('first'), await pack('second')];
  const differing = archives.filter((archive, index) => digestOf(archive) !== digestOf(again[index] ?? ''));
  refuse(differing.map((archive) => `two archives of the same sources differ: ${archive}`));

  writeFileSync(join(outDir, 'notes.md'), `${versions.find(({ version }) => version === productVersion)?.text}\n`);
  const digests = collect(archives)
    .map((name) => `${digestOf(join(outDir, name))}  ${name}\n`)
    .join('');
  writeFileSync(join(outDir, 'SHA256SUMS'), digests);
  process.stdout.write(`${digests}packed twice, the same: ${outDir}\n`);
}

/** Ends the process if there is a problem. */
function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  for (const problem of problems) console.error(problem);
  process.exit(1);
}

/** Puts what is published beside the notes; its names. */
function collect(archives: readonly string[]): readonly string[] {
  copyFileSync(join(outDir, 'second', 'package', 'THIRD-PARTY-LICENCES.txt'), join(outDir, 'THIRD-PARTY-LICENCES.txt'));
  execFileSync(process.execPath, ['--import', './shared/require-node.mjs', 'infra/package/sbom.ts'], {
    cwd: packageFolder,
  });
  copyFileSync(join(buildDir, 'sbom.cdx.json'), join(outDir, 'sbom.cdx.json'));
  for (const archive of archives) copyFileSync(archive, join(outDir, basename(archive)));
  for (const one of ['first', 'second']) rmSync(join(outDir, one), { recursive: true });
  return [...archives.map((archive) => basename(archive)), 'sbom.cdx.json', 'THIRD-PARTY-LICENCES.txt', 'notes.md'];
}

/** Packs the product and its creator in a folder of its own; the paths of the archives. */
async function pack(name: string): Promise<readonly string[]> {
  const dir = join(outDir, name);
  const [packageDir, creatorDir] = [join(dir, 'package'), join(dir, 'creator')];
  // The bundles lie where those of `npm run package` lie: their source maps depend on it.
  await buildPackage({ outDir: packageDir, bundlesDir: join(buildDir, 'functions') });
  await buildCreatorPackage(creatorDir);
  const args = ['pack', packageDir, creatorDir, '--pack-destination', dir, '--silent'];
  const said = execFileSync('npm', args, { cwd: buildDir, encoding: 'utf8', shell: process.platform === 'win32' });
  return said
    .trim()
    .split('\n')
    .map((file) => join(dir, file));
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function tagProblems(): readonly string[] {
  const changed = git('status', '--porcelain');
  const tags = git('tag', '--points-at', 'HEAD').split('\n');
  return [
    ...(changed === '' ? [] : ['there are changes that no commit has']),
    ...(tags.includes(`v${productVersion}`) ? [] : [`this commit has no tag v${productVersion}`]),
  ];
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: packageFolder, encoding: 'utf8' }).trim();
}

await main();
