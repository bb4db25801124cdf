import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const script = join(import.meta.dirname, '../../check-subjects.mjs');
const just = `fix(a): ${'x'.repeat(64)}`;
const tooLong = `${just}y`;

/** A repository with these commits, oldest first. */
function repositoryOf(...subjects: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'subjects-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  const git = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  git('init', '-q');
  const ids = subjects.map((subject) => {
    git('commit', '-q', '--allow-empty', '-m', subject);
    return git('rev-parse', 'HEAD');
  });
  return { ids, judge: (...args: readonly string[]) => judge(folder, args) };
}

function judge(cwd: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

test('the commits after the base are judged, each with its length', () => {
  const { ids, judge: judged } = repositoryOf(just, tooLong, just);

  const answer = judged(ids[0] ?? '');

  expect(answer.status).toBe(1);
  expect(answer.text).toContain(`${tooLong}\n  has 73 columns`);
  expect(answer.text).toContain('2 commits judged, 1 subjects too long');
});

test('a long subject before the base is history', () => {
  const { ids, judge: judged } = repositoryOf(tooLong, just, just);

  expect(judged(ids[0] ?? '')).toEqual({ status: 0, text: '2 commits judged, 0 subjects too long\n' });
});

test.each([
  ['no base', []],
  ['an empty base', ['']],
  ['a base that the clone does not have', ['0'.repeat(40)]],
])('with %s the last commit alone is judged', (_what, args) => {
  expect(repositoryOf(tooLong, just).judge(...args)).toMatchObject({ status: 0 });
  expect(repositoryOf(just, tooLong).judge(...args)).toMatchObject({ status: 1 });
});

test('outside of a repository the check fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'no-repository-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  expect(judge(folder, []).status).toBe(1);
});
