import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toError } from '../../../shared/errors/app-error.ts';
import type { Contender } from '../measure/compare-cpu.ts';

const names = ['axios', 'got'] as const;

/** Clients that the product does not depend on. */
export interface InstalledPeers {
  readonly contenders: readonly Contender[];
  /** Why there are none, if there are none. */
  readonly notes: readonly string[];
}

/**
 * Installs them from their own lock file when they are asked for the first time; without a registry
 * they are left out.
 */
export async function installedPeers(): Promise<InstalledPeers> {
  const folder = import.meta.dirname;
  try {
    if (!names.every((name) => existsSync(join(folder, 'node_modules', name)))) {
      await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
    }
  } catch (error) {
    const [sentence] = toError(error).message.split('\n');
    return { contenders: [], notes: [`axios and got are left out, they could not be installed: ${sentence}`] };
  }
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  return {
    contenders: names.map((name) => ({
      name: `${name} ${dependencies[name]}`,
      file: join(folder, `client-${name}.mjs`),
    })),
    notes: [],
  };
}
