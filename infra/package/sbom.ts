/**
 * `npm run package -- sbom`: writes what the lock file pins as build/sbom.cdx.json (CycloneDX), offline;
 * development packages are marked as such.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';

const args = ['sbom', '--package-lock-only', '--offline', '--sbom-format', 'cyclonedx'];
const said = execFileSync('npm', args, {
  cwd: packageFolder,
  encoding: 'utf8',
  maxBuffer: 64_000_000,
  shell: process.platform === 'win32',
});
const sbom = JSON.parse(said);
sbom.metadata.component.name = 'gateway-autopilot'; // npm names it after the folder
// So that each person makes the same file, whose digest a reviewer compares.
delete sbom.serialNumber;
delete sbom.metadata.timestamp;

const buildDir = join(packageFolder, 'build');
mkdirSync(buildDir, { recursive: true });
const path = join(buildDir, 'sbom.cdx.json');
writeFileSync(path, `${JSON.stringify(sbom, undefined, 2)}\n`);
console.log(`${sbom.components.length} packages: ${path}`);
