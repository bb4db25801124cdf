import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const notOurs = new Set(['node_modules', 'build', 'cdk.out', 'coverage']);

/**
 * The path of each file of the project, from its root; what a tool wrote and folders that begin
 * with a dot are left out.
 */
export async function projectPaths(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter(
    (entry) => entry.isDirectory() && !notOurs.has(entry.name) && !entry.name.startsWith('.'),
  );
  const inFolders = await Promise.all(
    folders.map(async ({ name }) =>
      (await readdir(join(root, name), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(join(root, 'x').length - 1)),
    ),
  );
  return [...entries.filter((entry) => entry.isFile()).map(({ name }) => name), ...inFolders.flat()]
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.includes('/node_modules/'));
}

/** The sources of the project by path. */
export async function readProject(root: string): Promise<Map<string, string>> {
  const paths = (await projectPaths(root)).filter((path) => /(?<!\.d)\.(?:tsx?|mts|mjs)$/.test(path));
  const texts = await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const));
  return new Map(texts);
}
