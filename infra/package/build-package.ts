import { copyFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { functionNames } from '#shared/vocabulary/function-names.ts';
import { buildFunctions, projectRoot } from '../bundle/build-functions.ts';
import { buildCommand, buildConstruct } from '../bundle/build-library.ts';
import { packageManifest } from './manifest.ts';
import { thirdPartyLicences } from './third-party.ts';
import { writeDeclarations } from './write-declarations.ts';

/**
 * Lays out what ships to people with a CDK app of their own: the construct and its declarations, the bundles of the functions, the operator's
 * command. Paths are those of the sources, so that one file finds the other as it does here.
 * @param options.bundlesDir - where the functions are bundled first: their source maps, and so their bytes, depend on how deep it lies
 */
export async function buildPackage(options: { readonly outDir: string; readonly bundlesDir: string }): Promise<void> {
  const { outDir, bundlesDir } = options;
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  const [functions, construct, command] = await Promise.all([
    buildFunctions({ outDir: bundlesDir }),
    buildConstruct(outDir),
    buildCommand(outDir),
    writeDeclarations('infra/autopilot.ts', outDir),
  ]);
  for (const name of functionNames) {
    await cp(join(bundlesDir, name), join(outDir, 'build', 'functions', name), { recursive: true });
  }
  const licences = thirdPartyLicences([functions.metafile, construct, command]);
  await writeFile(join(outDir, 'THIRD-PARTY-LICENCES.txt'), licences);
  await writeFile(join(outDir, 'package.json'), `${JSON.stringify(packageManifest(), undefined, 2)}\n`);
  await copyFile(join(projectRoot, 'LICENSE'), join(outDir, 'LICENSE'));
  await copyFile(join(import.meta.dirname, 'README.md'), join(outDir, 'README.md'));
}
