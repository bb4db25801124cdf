import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
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

/**
 * Packs the package and installs the archive, as npm does it, into a copy of the example app. No network: what it needs of the CDK is
 * this project's.
 */
export async function installPackage(folder: string): Promise<InstalledApp> {
  await buildPackage({ outDir: join(folder, 'package'), bundlesDir: join(folder, 'bundles', 'functions') });
  const { stdout } = await run('npm', ['pack', join(folder, 'package'), '--pack-destination', folder, '--json']);
  const [{ filename, files, size }] = JSON.parse(stdout);

  const directory = join(folder, 'app');
  await mkdir(directory);
  // The registry is not asked: the command line of the CDK is the one of this project.
  const overrides = { 'aws-cdk': `file:${join(packageFolder, 'node_modules', 'aws-cdk')}` };
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, overrides }));
  const offline = ['--offline', '--legacy-peer-deps', '--no-audit', '--no-fund', '--no-save'];
  await run('npm', ['install', ...offline, join(folder, filename)], { cwd: directory });
  for (const name of ofTheApp) {
    const link = join(directory, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(packageFolder, 'node_modules', name), link);
  }
  await cp(join(packageFolder, 'examples', 'own-cdk-app'), directory, { recursive: true });
  return {
    directory,
    packed: files.map(({ path }: { path: string }) => path),
    packedBytes: size,
  };
}
