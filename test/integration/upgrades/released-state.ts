import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';

const released = join(packageFolder, 'test', 'upgrades', 'released');

/** The versions whose state is kept, `0.9.0`. */
export const releasedVersions: readonly string[] = readdirSync(released)
  .filter((name) => name.endsWith('.tar.gz'))
  .map((name) => name.replace('.tar.gz', ''));

/** Unpacks the state that a version left behind, and its configuration. */
export function unpackState(version: string, dir: string): { readonly dataDir: string; readonly config: string } {
  execFileSync('tar', ['-xzf', join(released, `${version}.tar.gz`), '-C', dir]);
  return { dataDir: join(dir, 'state'), config: join(dir, 'automation.config.mjs') };
}

/**
 * Checks the code of a version out beside the state, with the packages that are installed here.
 * @returns its folder; `undefined` if this copy of the repository has no such tag, as an archive or a shallow clone has none
 */
export function checkOut(version: string, dir: string): string | undefined {
  try {
    execFileSync('git', ['rev-parse', '--verify', '--quiet', `refs/tags/v${version}`], { cwd: packageFolder });
  } catch {
    return undefined;
  }
  const productDir = join(dir, 'product');
  mkdirSync(productDir);
  const archive = execFileSync('git', ['archive', `v${version}`], { cwd: packageFolder, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', productDir], { input: archive });
  symlinkSync(join(packageFolder, 'node_modules'), join(productDir, 'node_modules'));
  return productDir;
}
