import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../bundle/build-functions.ts';

/** A module of the project that a declaration names: by its source, which the compiler takes for the declaration beside it. */
const ownModule = /(?<=\bfrom\s+['"]|\bimport\(['"])[.#][^'"]+\.ts(?=['"])/g;

/**
 * Writes the declarations of a source file and of those that it leads to: of everything else that the compiler declares, the package's people
 * see nothing.
 */
export async function writeDeclarations(entry: string, outDir: string): Promise<void> {
  const declared = await mkdtemp(join(tmpdir(), 'autopilot-declarations-'));
  try {
    const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const project = join(import.meta.dirname, 'tsconfig.json');
    await promisify(execFile)(process.execPath, [compiler, '--project', project, '--outDir', declared]);
    await copyReached(entry, { from: declared, to: outDir });
  } finally {
    await rm(declared, { recursive: true });
  }
}

async function copyReached(entry: string, { from, to }: { from: string; to: string }): Promise<void> {
  const reached = new Set([entry]);
  for (const source of reached) {
    const file = source.replace(/\.ts$/, '.d.ts');
    const text = await readFile(join(from, file), 'utf8');
    // The package does not have the project's names of rooms (`#shared/…`).
    const declaration = text.replaceAll(ownModule, (module) => {
      const target = module.startsWith('#') ? module.slice(1) : posix.join(posix.dirname(source), module);
      reached.add(target);
      const path = posix.relative(posix.dirname(source), target);
      return path.startsWith('.') ? path : `./${path}`;
    });
    await mkdir(dirname(join(to, file)), { recursive: true });
    await writeFile(join(to, file), declaration);
  }
}
