import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigParts } from '#shared/config/resolve/resolved-automation.ts';
import { isInstalled, packageFolder } from '#shared/places.ts';
import { digestOfProduct, fillFolder } from './kept-folder.ts';
import { type FunctionName, functionNames } from '#shared/vocabulary/resource-names.ts';

/** The folder of each function's asset: the bundle, its map and its part of the configuration. */
export type AssetDirectories = Readonly<Record<FunctionName, string>>;

const bundleFiles = ['handler.mjs', 'handler.mjs.map'] as const;

/**
 * Puts each bundle together with its `config.json`; the same inputs give the same bytes, and so the
 * same asset hash.
 */
export function writeAssets(options: {
  /** As `buildFunctions` left them. */
  readonly bundlesDir: string;
  /** Emptied first. */
  readonly assetsDir: string;
  readonly parts: ConfigParts;
}): AssetDirectories {
  const { bundlesDir, assetsDir, parts } = options;
  rmSync(assetsDir, { recursive: true, force: true });
  const written = functionNames.map((name) => {
    const directory = join(assetsDir, name);
    mkdirSync(directory, { recursive: true });
    for (const file of bundleFiles) copyFileSync(join(bundlesDir, name, file), join(directory, file));
    writeFileSync(join(directory, 'config.json'), `${JSON.stringify(parts[name], undefined, 2)}\n`);
    letEverybodyRead(directory);
    return [name, directory] as const;
  });
  return Object.fromEntries(written) as AssetDirectories;
}

/**
 * The archive keeps the modes, and Lambda reads it as another user: a strict umask here would be an
 * EACCES there (aws-cdk issue 8233).
 */
function letEverybodyRead(directory: string): void {
  chmodSync(directory, 0o755);
  for (const file of [...bundleFiles, 'config.json']) chmodSync(join(directory, file), 0o644);
}

/**
 * The folder of the functions' bundles: the installed package has them, a checkout makes them from
 * its sources.
 * @param buildDir - gets `functions/` in a checkout
 * @param isKept - bundles that are there already are taken if their sources are the same
 */
export async function bundlesFolder(buildDir: string, isKept: boolean): Promise<string> {
  if (isInstalled) return join(packageFolder, 'build', 'functions');
  const { buildFunctions } = await import('./build-functions.ts');
  const outDir = join(buildDir, 'functions');
  const make = async (): Promise<void> => void (await buildFunctions({ outDir }));
  await (isKept ? fillFolder(outDir, () => digestOfProduct(), make) : make());
  return outDir;
}
