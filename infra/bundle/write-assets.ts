import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigParts } from '../../shared/config/resolved-automation.ts';
import { functionNames, type FunctionName } from '../../shared/vocabulary/function-names.ts';

/** Where each function's asset lies: the bundle, its map and its part of the configuration. */
export type AssetDirectories = Readonly<Record<FunctionName, string>>;

const bundleFiles = ['handler.mjs', 'handler.mjs.map'] as const;

/** Puts each bundle together with its `config.json`; the same inputs give the same bytes, and so the same asset hash. */
export async function writeAssets(options: {
  /** As `buildFunctions` left them. */
  readonly bundlesDir: string;
  /** Emptied first. */
  readonly assetsDir: string;
  readonly parts: ConfigParts;
}): Promise<AssetDirectories> {
  const { bundlesDir, assetsDir, parts } = options;
  await rm(assetsDir, { recursive: true, force: true });
  const written = await Promise.all(
    functionNames.map(async (name) => {
      const directory = join(assetsDir, name);
      await mkdir(directory, { recursive: true });
      await Promise.all(bundleFiles.map((file) => copyFile(join(bundlesDir, name, file), join(directory, file))));
      await writeFile(join(directory, 'config.json'), `${JSON.stringify(parts[name], undefined, 2)}\n`);
      await letEverybodyRead(directory);
      return [name, directory] as const;
    }),
  );
  return Object.fromEntries(written) as AssetDirectories;
}

/** The archive keeps the modes, and Lambda reads it as another user: a strict umask here would be an EACCES there (aws-cdk issue 8233). */
async function letEverybodyRead(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  await Promise.all([...bundleFiles, 'config.json'].map(async (file) => chmod(join(directory, file), 0o644)));
}
