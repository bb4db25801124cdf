/**
 * `npm run package`: makes the archives of the product and of its creator in build/, and says how
 * large they are. `-- --help` says the rest.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import { commandLine } from '#shared/text/command-line.ts';
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
  const said = execFileSync('npm', ['pack', '--json', './package', './creator'], {
    cwd: buildDir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // npm lists each file on this stream, 300 of them.
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  process.stdout.write(packedLines(JSON.parse(said), buildDir));
}

/** What npm says of an archive that it made. */
interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
}

function packedLines(packed: readonly Packed[], buildDir: string): string {
  const archives = packed.map(({ filename, size }) => `${join(buildDir, filename)}, ${(size / 1e6).toFixed(1)} MB`);
  const product = packed.find(({ name }) => name === 'gateway-autopilot')?.filename ?? '';
  const init = `npx --no -- autopilot ${commandLine(['init', '../my-stage', '--product', join(buildDir, product)])}`;
  return `${archives.join('\n')}\n\nThe folder of a stage that runs it:\n\n  ${init}\n`;
}

function refuse(words: string): void {
  process.stderr.write(`${words} is not understood\n\n${help}`);
  process.exitCode = 2;
}
