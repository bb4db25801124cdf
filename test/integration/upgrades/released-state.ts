import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { releasedFolder, unpackSources } from '#infra/release/released-sources.ts';
import { packageFolder } from '#shared/places.ts';

/** The versions whose state is kept, `0.9.0`. */
export const releasedVersions: readonly string[] = readdirSync(releasedFolder).flatMap((name) =>
  /^\d[\d.]*\d\.tar\.gz$/.test(name) ? [name.replace('.tar.gz', '')] : [],
);

/** Unpacks the state that a version left behind, and its configuration. */
export function unpackState(version: string, dir: string): { readonly dataDir: string; readonly config: string } {
  execFileSync('tar', ['-xzf', join(releasedFolder, `${version}.tar.gz`), '-C', dir]);
  return { dataDir: join(dir, 'state'), config: join(dir, 'automation.config.mjs') };
}

/** Unpacks the sources of a version beside the state, with the packages that are installed here; its folder. */
export function unpackProduct(version: string, dir: string): string {
  const productDir = join(dir, 'product');
  mkdirSync(productDir);
  unpackSources(version, productDir);
  symlinkSync(join(packageFolder, 'node_modules'), join(productDir, 'node_modules'));
  return productDir;
}
