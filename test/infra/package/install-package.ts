import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageFolder } from '#shared/places.ts';
import { buildPackage } from '#infra/package/build-package.ts';

const run = promisify(execFile);

/** What an app has beside the package: its own CDK, as here. */
const ofTheApp = ['aws-cdk-lib', 'cdk-nag', 'constructs', '@types/node', 'undici-types'];

/** The example app, with the packed package installed in it. */
export interface InstalledApp {
  readonly directory: string;
  /** What the archive holds, without its first folder. */
  readonly packed: readonly string[];
  readonly packedBytes: number;
}

/** The archive of `npm run package`. */
export interface Archive {
  readonly path: string;
  /** What it holds, without its first folder. */
  readonly files: readonly string[];
  readonly bytes: number;
}

/** Packs the package into a folder. */
export async function packProduct(folder: string): Promise<Archive> {
  await buildPackage({ outDir: join(folder, 'package'), bundlesDir: join(folder, 'bundles', 'functions') });
  const { stdout } = await run('npm', ['pack', join(folder, 'package'), '--pack-destination', folder, '--json']);
  const [{ filename, files, size }] = JSON.parse(stdout);
  return { path: join(folder, filename), files: files.map(({ path }: { path: string }) => path), bytes: size };
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

/** Installs the archive into a new folder that holds nothing else. */
export async function installArchive(archive: Archive, directory: string): Promise<void> {
  await mkdir(directory);
  const dependencies = { 'gateway-autopilot': `file:${archive.path}` };
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await installIn(directory);
}

/** Packs the package and installs it into a copy of the example app, beside the CDK library of this project. */
export async function installPackage(folder: string): Promise<InstalledApp> {
  const archive = await packProduct(folder);
  const directory = join(folder, 'app');
  await installArchive(archive, directory);
  for (const name of ofTheApp) {
    const link = join(directory, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(packageFolder, 'node_modules', name), link);
  }
  await cp(join(packageFolder, 'examples', 'own-cdk-app'), directory, { recursive: true });
  return {
    directory,
    packed: archive.files,
    packedBytes: archive.bytes,
  };
}
