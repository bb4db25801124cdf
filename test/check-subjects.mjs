/**
 * Judges the subjects of commits: at most 72 columns, so that a list of them reads as a table.
 * `node test/check-subjects.mjs BASE` judges what came after BASE. If no base is given, or this
 * clone does not have it (a first push, a shallow clone), it judges the last commit alone. Merges
 * have subjects that a machine wrote.
 */
import { spawnSync } from 'node:child_process';

const longest = 72;

const [base = ''] = process.argv.slice(2);
const range = isCommit(base) ? [`${base}..HEAD`] : ['-1'];
const commits = git('log', '--no-merges', '--format=%h %s', ...range)
  .split('\n')
  .filter((line) => line !== '');
const problems = commits.filter((line) => [...subjectOf(line)].length > longest);
for (const line of problems) {
  process.stderr.write(`${line}\n  has ${[...subjectOf(line)].length} columns, and a subject has at most ${longest}\n`);
}
process.stdout.write(`${commits.length} commits judged, ${problems.length} subjects too long\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

function subjectOf(line) {
  return line.slice(line.indexOf(' ') + 1);
}

function isCommit(name) {
  if (name === '' || name.startsWith('-')) return false;
  return spawnSync('git', ['cat-file', '-e', `${name}^{commit}`]).status === 0;
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}
