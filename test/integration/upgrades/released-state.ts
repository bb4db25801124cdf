import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { releasedFolder } from '#infra/release/released-sources.ts';

/** Unpacks the state that a version left behind, and its configuration. */
export function unpackState(version: string, dir: string): { readonly dataDir: string; readonly config: string } {
  execFileSync('tar', ['-xzf', join(releasedFolder, `${version}.tar.gz`), '-C', dir]);
  return { dataDir: join(dir, 'state'), config: join(dir, 'automation.config.mjs') };
}
