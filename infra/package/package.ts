/** `npm run package`: makes build/gateway-autopilot-VERSION.tgz, for people with a CDK app of their own, and says how large it is. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import { buildPackage } from './build-package.ts';

const buildDir = join(packageFolder, 'build');
await buildPackage({ outDir: join(buildDir, 'package'), bundlesDir: join(buildDir, 'functions') });
execFileSync('npm', ['pack', './package'], { cwd: buildDir, stdio: 'inherit', shell: process.platform === 'win32' });
