import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';

/** What is wrong with the command line, in one sentence. */
export class CreateProblem extends Error {
  override readonly name = 'CreateProblem';
}

/**
 * The files of a new stage by their paths in it, and their paths in the package. A file that is
 * called `.gitignore` is not packed by npm.
 */
export const copied: Readonly<Record<string, string>> = {
  'automation.config.ts': 'automation.config.ts',
  'examples/datasets': 'examples/datasets',
  'examples/fill-pool.mjs': 'examples/fill-pool.mjs',
  'tsconfig.json': 'create/template/tsconfig.json',
  'README.md': 'create/template/README.md',
  '.gitignore': 'create/template/gitignore',
  '.github/workflows/autopilot.yml': 'create/template/workflow.yml',
};

/**
 * Makes the folder of a stage: a configuration, examples, a workflow, and one dependency.
 * @param folder - new or empty, from the working folder
 * @param archive - the product as a file, in place of the release that this is
 * @throws CreateProblem if the folder holds anything or cannot be written, or there is no such archive
 */
export function createStageFolder(folder: string, archive?: string): void {
  try {
    refuseUsed(folder);
    const name = archive === undefined ? undefined : archiveName(archive);
    writeFiles(folder, manifestOf(name === undefined ? productVersion : `file:${name}`));
    if (archive !== undefined && name !== undefined) copyFileSync(archive, join(folder, name));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new CreateProblem(`${folder} cannot be made (${String(error.code)}): name a folder that you may write`, {
      cause: error,
    });
  }
}

function writeFiles(folder: string, manifest: object): void {
  for (const [path, source] of Object.entries(copied)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(packageFolder, source), target, { recursive: true });
  }
  writeFileSync(join(folder, '.nvmrc'), '24\n');
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function refuseUsed(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new CreateProblem(`${folder} is a file: name a new folder`);
  const [first, ...more] = readdirSync(folder);
  if (first === undefined) return;
  const rest = more.length === 0 ? '' : ` and ${more.length} more`;
  throw new CreateProblem(`${folder} is not empty, it holds ${first}${rest}: name a new folder`);
}

/** The folder gets the archive: a clone of it elsewhere is installed by `npm ci`. */
function archiveName(archive: string): string {
  if (archive.trim() === '') throw new CreateProblem('--product needs the archive of a release');
  const found = existsSync(archive) ? statSync(archive) : undefined;
  if (found?.isFile() !== true)
    throw new CreateProblem(`--product ${archive} is no file: name the archive of a release`);
  if (found.size === 0) throw new CreateProblem(`--product ${archive} is an empty file: name the archive of a release`);
  return basename(archive);
}

/** The version is exact: a stage is deployed, and runs what was tried. */
function manifestOf(product: string): object {
  return {
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    scripts: {
      start: 'autopilot start',
      plan: 'autopilot plan',
      synth: 'autopilot synth --stage prod',
      deploy: 'autopilot deploy --stage prod',
    },
    dependencies: { 'gateway-autopilot': product },
  };
}
