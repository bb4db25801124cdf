import { spawnSync } from 'node:child_process';
import type { Mutant } from './mutant.ts';

/** What differs from a base: paths of files, and the lines that the lists of mutants got. */
export interface Changes {
  readonly paths: readonly string[];
  readonly newEntries: string;
}

/** The mutants whose file, tests or entry changed. */
export function changedMutants(mutants: readonly Mutant[], { paths, newEntries }: Changes): readonly Mutant[] {
  const changed = new Set(paths);
  return mutants.filter(
    ({ name, file, tests }) =>
      changed.has(file) || tests.some((path) => changed.has(path)) || newEntries.includes(name),
  );
}

/**
 * What changed in a folder since a base, also what is not committed. If this clone does not have
 * the base (none given, a first push), it is the commit at which the branch left `origin/main`, or
 * the commit before the last.
 * @throws Error if there is no commit to compare with
 */
export function changesSince(folder: string, asked: string): Changes & { readonly base: string } {
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 });
  const head = git('rev-parse', 'HEAD').stdout.trim();
  const commitOf = (name: string) => {
    if (name === '' || name.startsWith('-')) return '';
    const { status, stdout } = git('merge-base', name, 'HEAD');
    return status === 0 ? stdout.trim() : '';
  };
  // On main itself nothing would have changed since origin/main.
  const forked = commitOf('origin/main');
  const base = commitOf(asked) || (forked === head ? '' : forked) || commitOf('HEAD^');
  if (base === '') throw new Error('there is no commit to compare with: give one that this clone has (--changed BASE)');
  const differences = (...args: readonly string[]) => {
    const { status, stdout, stderr } = git('diff', base, ...args);
    if (status !== 0) throw new Error(`git diff ${base} failed: ${stderr}`);
    return stdout;
  };
  const paths = differences('--name-only', '-z').split('\0');
  const lists = differences('--unified=0', '--', 'test/mutants/list');
  const added = lists.split('\n').filter((line) => line.startsWith('+'));
  return { base, paths, newEntries: added.join('\n') };
}
