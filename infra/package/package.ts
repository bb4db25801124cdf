/**
 * `npm run package`: makes the archives of the product and of its creator in build/, and says how
 * large they are.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import { buildCreatorPackage, buildPackage } from './build-package.ts';

const buildDir = join(packageFolder, 'build');
await buildPackage({ outDir: join(buildDir, 'package'), bundlesDir: join(buildDir, 'functions') });
await buildCreatorPackage(join(buildDir, 'creator'));
execFileSync('npm', ['pack', './package', './creator'], {
  cwd: buildDir,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
