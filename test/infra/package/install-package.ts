import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageFolder } from '#shared/places.ts';
import { buildCreatorPackage, buildPackage } from '#infra/package/build-package.ts';

const run = promisify(execFile);

/** What an app has beside the package: its own CDK, as here. */
const ofTheApp = ['aws-cdk-lib', 'cdk-nag', 'constructs', '@types/node', 'undici-types'];

/** The example app, with the packed package installed in it. */
export interface InstalledApp {
  readonly directory: string;
  readonly packed: readonly PackedFile[];
}

/** A file of an archive. */
export interface PackedFile {
  /** Without the first folder. */
  readonly path: string;
  readonly mode: number;
}

/** An archive of `npm run package`. */
export interface Archive {
  readonly path: string;
  readonly files: readonly PackedFile[];
}

/** Packs the package into a folder, as a person does it whose files no other user may read: the archive does not depend on that. */
export async function packProduct(folder: string): Promise<Archive> {
  return underPrivateUmask(async () => {
    await buildPackage({ outDir: join(folder, 'package'), bundlesDir: join(folder, 'bundles', 'functions') });
    return pack(join(folder, 'package'), folder);
  });
}

/** Packs the creator into a folder. */
export async function packCreator(folder: string): Promise<Archive> {
  return underPrivateUmask(async () => {
    await buildCreatorPackage(join(folder, 'creator'));
    return pack(join(folder, 'creator'), folder);
  });
}

async function underPrivateUmask<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = process.umask(0o077);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}

async function pack(source: string, folder: string): Promise<Archive> {
  const { stdout } = await run('npm', ['pack', source, '--pack-destination', folder, '--json']);
  const [{ filename, files }]: readonly [NpmPack] = JSON.parse(stdout);
  return { path: join(folder, filename), files };
}

/** What npm tells of an archive. */
interface NpmPack {
  readonly filename: string;
  readonly files: readonly PackedFile[];
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
async function installArchive(archive: Archive, directory: string): Promise<void> {
  await mkdir(directory);
  const dependencies = { 'gateway-autopilot': `file:${archive.path}` };
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await installIn(directory);
}

/** Packs the package and installs it into a copy of the example app, beside the CDK library of this project. */
export async function installPackage(folder: string): Promise<InstalledApp> {
  const archive = await packProduct(folder);
  const directory = join(folder, 'app');
  await installExampleApp(archive, directory);
  return {
    directory,
    packed: archive.files,
  };
}

/** Copies the example app into a new folder, with an archive in it beside the CDK library of this project. */
export async function installExampleApp(archive: Archive, directory: string): Promise<void> {
  await installArchive(archive, directory);
  for (const name of ofTheApp) {
    const link = join(directory, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(packageFolder, 'node_modules', name), link);
  }
  await cp(join(packageFolder, 'examples', 'own-cdk-app'), directory, { recursive: true });
}
