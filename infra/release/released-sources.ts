import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { packageFolder } from '#shared/places.ts';

/** What each released version left behind, for the tests of the versions after it. */
export const releasedFolder: string = join(packageFolder, 'test', 'upgrades', 'released');

const ending = '.sources.tar.br';

/** What the rooms import from the folder above them. */
const rootFiles = ['cdk.json', 'package.json'];

/** The versions whose sources are kept: the newest that was released. */
export function versionsWithSources(): readonly string[] {
  return readdirSync(releasedFolder).flatMap((name) => (name.endsWith(ending) ? [name.slice(0, -ending.length)] : []));
}

/**
 * Keeps the sources of a version, in place of those of the version before: the way back runs them, also in a copy of the repository that has
 * neither history nor tags.
 */
export function keepSources(productDir: string, version: string): void {
  for (const before of versionsWithSources()) rmSync(join(releasedFolder, `${before}${ending}`));
  const names = [...roomsOf(productDir), ...rootFiles];
  const archive = execFileSync('tar', ['-c', ...names], { cwd: productDir, maxBuffer: 256 * 1024 * 1024 });
  writeFileSync(join(releasedFolder, `${version}${ending}`), brotliCompressSync(archive));
}

/** Writes the kept sources of a version into a folder. */
export function unpackSources(version: string, dir: string): void {
  const archive = brotliDecompressSync(readFileSync(join(releasedFolder, `${version}${ending}`)));
  execFileSync('tar', ['-x', '-C', dir], { input: archive });
}

/** What is wrong with releasing these sources under a version: one that was released has its sources. */
export function sourceProblems(version: string, productDir: string = packageFolder): readonly string[] {
  if (!versionsWithSources().includes(version)) return [];
  const dir = mkdtempSync(join(tmpdir(), 'autopilot-sources-'));
  try {
    unpackSources(version, dir);
    const [before, now] = [filesOf(dir), filesOf(productDir)];
    const paths = [...new Set([...before.keys(), ...now.keys()])];
    const [first, ...more] = paths.filter((path) => before.get(path) !== now.get(path)).toSorted();
    if (first === undefined) return [];
    const rest = more.length === 0 ? '' : ` and ${more.length} more`;
    return [`${version} was released with other sources (${first}${rest}): give these a newer version`];
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The folders of the product, as its package.json names them. */
function roomsOf(productDir: string): readonly string[] {
  const { imports }: { readonly imports: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(productDir, 'package.json'), 'utf8'),
  );
  return Object.values(imports).map((path) => path.replaceAll(/^\.\/|\/\*$/g, ''));
}

function filesOf(productDir: string): ReadonlyMap<string, string> {
  const paths = roomsOf(productDir).flatMap((room) =>
    readdirSync(join(productDir, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(productDir.length + 1)),
  );
  return new Map([...paths, ...rootFiles].map((path) => [path, readFileSync(join(productDir, path), 'latin1')]));
}
