import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
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
      return [name, directory] as const;
    }),
  );
  return Object.fromEntries(written) as AssetDirectories;
}
