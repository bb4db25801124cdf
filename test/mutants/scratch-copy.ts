import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Mutant, occurrences } from './mutant.ts';

/** A copy of the project that mutants change: the project itself is never changed. */
export interface ScratchCopy {
  readonly path: string;
  /**
   * Makes one mutant while `work` runs.
   * @throws Error if its text is not in its file exactly once
   */
  readonly withMutant: <Result>(
    mutant: Pick<Mutant, 'file' | 'from' | 'to'>,
    work: () => Promise<Result>,
  ) => Promise<Result>;
  readonly remove: () => Promise<void>;
}

/** What a copy does without: it is large, or made again. */
const leftOut = new Set(['node_modules', '.git', 'build', 'cdk.out', 'coverage', '.autopilot']);

/** Copies the project to a temporary folder; packages are those of the project. */
export async function makeScratchCopy(packageFolder: string): Promise<ScratchCopy> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-autopilot-mutants-'));
  await cp(packageFolder, path, { recursive: true, filter: (source) => !leftOut.has(basename(source)) });
  await symlink(join(packageFolder, 'node_modules'), join(path, 'node_modules'));

  return {
    path,
    async withMutant({ file, from, to }, work) {
      const place = join(path, file);
      const text = await readFile(place, 'utf8');
      const count = occurrences(text, from);
      if (count !== 1) throw new Error(`${file} holds ${count} times: ${from}`);
      await writeFile(
        place,
        text.replace(from, () => to),
      );
      try {
        return await work();
      } finally {
        await writeFile(place, text);
      }
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
