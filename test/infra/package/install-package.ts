import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageFolder } from '#shared/places.ts';
import { buildCreatorPackage, buildPackage } from '#infra/package/build-package.ts';

const run = promisify(execFile);

/** What an app has beside the package: its own CDK, as here. */
const ofTheApp = ['aws-cdk-lib', 'cdk-nag', 'constructs', '@types/node', 'undici-types'];

/** An archive of `npm run package`. */
export interface Archive {
  readonly path: string;
  /** By their paths without the first folder. */
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/** Packs the package into a folder. */
export async function packProduct(folder: string): Promise<Archive> {
  const bundlesDir = join(folder, 'bundles', 'functions');
  return pack(folder, 'package', async (outDir) => buildPackage({ outDir, bundlesDir }));
}

/** Packs the creator into a folder. */
export async function packCreator(folder: string): Promise<Archive> {
  return pack(folder, 'creator', buildCreatorPackage);
}

/** Packs as a person does it whose files no other user may read: the archive does not depend on that. */
async function pack(folder: string, name: string, build: (outDir: string) => Promise<unknown>): Promise<Archive> {
  const before = process.umask(0o077);
  try {
    const source = join(folder, name);
    await build(source);
    const { stdout } = await run('npm', ['pack', source, '--pack-destination', folder, '--json']);
    const [{ filename, files }]: readonly [Pick<Archive, 'files'> & { readonly filename: string }] = JSON.parse(stdout);
    return { path: join(folder, filename), files };
  } finally {
    process.umask(before);
  }
}

/**
 * Installs what the package.json of a folder names, as npm does it. The registry is not asked: the command line of the CDK is the one of this
 * project.
 */
export async function installIn(directory: string): Promise<void> {
  const path = join(directory, 'package.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  const overrides = { 'aws-cdk': `file:${join(packageFolder, 'node_modules', 'aws-cdk')}` };
  await writeFile(path, `${JSON.stringify({ ...manifest, overrides }, undefined, 2)}\n`);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: directory });
}

/** Copies the example app into a new folder, with an archive in it beside the CDK library of this project. */
export async function installExampleApp(archive: Archive, directory: string): Promise<void> {
  await mkdir(directory);
  const dependencies = { 'gateway-autopilot': `file:${archive.path}` };
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await installIn(directory);
  for (const name of ofTheApp) {
    const link = join(directory, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(packageFolder, 'node_modules', name), link);
  }
  await cp(join(packageFolder, 'examples', 'own-cdk-app'), directory, { recursive: true });
}
