import { join } from 'node:path';
import { isInstalled, packageFolder } from '#shared/places.ts';

/**
 * Where the bundles of the functions lie: the installed package has them, a checkout makes them from its sources.
 * @param buildDir - gets `functions/` in a checkout
 */
export async function bundlesFolder(buildDir: string): Promise<string> {
  if (isInstalled) return join(packageFolder, 'build', 'functions');
  const { buildFunctions } = await import('./build-functions.ts');
  const outDir = join(buildDir, 'functions');
  await buildFunctions({ outDir });
  return outDir;
}
