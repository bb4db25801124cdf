import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { changedMutants, changesSince } from '../../mutants/changed.ts';

const mutant = (name: string) => ({
  name,
  file: `shared/${name}.ts`,
  from: 'a',
  to: 'b',
  tests: [`test/unit/${name}.test.ts`],
});
const mutants = ['first', 'second', 'third'].map(mutant);

test.each([
  ['its file', { paths: ['shared/second.ts'], newEntries: '' }],
  ['one of its tests', { paths: ['test/unit/second.test.ts', 'README.md'], newEntries: '' }],
  ['its own entry', { paths: [], newEntries: "+    name: 'second'," }],
])('a mutant is tried again if %s changed, and no other is', (_what, changes) => {
  expect(changedMutants(mutants, changes)).toEqual([mutants[1]]);
});

function repository() {
  const folder = mkdtempSync(join(tmpdir(), 'autopilot-changes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: folder, encoding: 'utf8' });
  const commit = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
    git('add', '.');
    git('commit', '--quiet', '-m', path);
    return git('rev-parse', 'HEAD').trim();
  };
  git('init', '--quiet', '--initial-branch=main');
  return { folder, git, commit };
}

describe('what changed', () => {
  test('is what came after the base, what is not committed, and the new lines of the lists', () => {
    const { folder, commit } = repository();
    const base = commit('shared/a.ts', '1');
    commit('test/mutants/list/guards.ts', "name: 'new',\n");
    writeFileSync(join(folder, 'shared/a.ts'), '2');

    const { paths, newEntries } = changesSince(folder, base);

    expect(paths).toEqual(expect.arrayContaining(['shared/a.ts', 'test/mutants/list/guards.ts']));
    expect(newEntries).toContain("name: 'new'");
  });

  test('begins as a branch left main, although main went on', () => {
    const { folder, git, commit } = repository();
    const base = commit('shared/a.ts', '1');
    git('checkout', '--quiet', '-b', 'work');
    commit('shared/b.ts', '1');
    git('checkout', '--quiet', 'main');
    git('update-ref', 'refs/remotes/origin/main', commit('shared/c.ts', '1'));
    git('checkout', '--quiet', 'work');

    expect(changesSince(folder, '')).toMatchObject({ base, paths: expect.not.arrayContaining(['shared/c.ts']) });
  });

  test('is the last commit, if the base is not in this clone', () => {
    const { folder, commit } = repository();
    const base = commit('shared/a.ts', '1');
    commit('shared/b.ts', '1');

    expect(changesSince(folder, '0'.repeat(40)).base).toBe(base);
  });

  test('is refused in a clone of one commit', () => {
    const { folder, commit } = repository();
    commit('shared/a.ts', '1');

    expect(() => changesSince(folder, '')).toThrow('no commit to compare with');
  });
});
