/** Looks at a file in a process of its own: only its reading counts. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** Of the 512 MB of the function: what is left is for its clients, and for the files of other records. */
export const mostMb = 256;

/** Builds what looks, as the function has it: types are taken away before it runs. */
export async function buildLooker(folder: string) {
  const child = join(folder, 'child.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'check-memory-child.ts')],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  return async (kind: 'check' | 'convert', file: string | Uint8Array) => {
    const path = join(folder, 'file');
    await writeFile(path, file);
    const { stdout } = await promisify(execFile)(process.execPath, [child, path, kind]);
    return JSON.parse(stdout) as { readonly problems: readonly string[]; readonly mostMb: number };
  };
}

/** A file of 9.9 MB. */
export function filled(header: string, unit: string, end = ''): string {
  return header + unit.repeat((9_900_000 - header.length) / unit.length) + end;
}
