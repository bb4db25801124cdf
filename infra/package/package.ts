/**
 * `npm run package`: makes the archives of the product and of its creator in build/, and says how
 * large they are. `-- --help` says the rest.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import { buildCreatorPackage, buildPackage } from './build-package.ts';

const help = `npm run package          makes the archives of the product and of its creator in build/
npm run package -- sbom  writes what the lock file pins as build/sbom.cdx.json (CycloneDX), offline
`;

const [what = 'archives', ...more] = process.argv.slice(2);
if (more.length > 0) refuse(more.join(' '));
else if (what === 'archives') await makeArchives();
else if (what === 'sbom') await import('./sbom.ts');
else if (what === '--help') process.stdout.write(help);
else refuse(what);

async function makeArchives(): Promise<void> {
  const buildDir = join(packageFolder, 'build');
  await buildPackage({ outDir: join(buildDir, 'package'), bundlesDir: join(buildDir, 'functions') });
  await buildCreatorPackage(join(buildDir, 'creator'));
  execFileSync('npm', ['pack', './package', './creator'], {
    cwd: buildDir,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}

function refuse(words: string): void {
  process.stderr.write(`${words} is not understood\n\n${help}`);
  process.exitCode = 2;
}
