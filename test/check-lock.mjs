/**
 * `npm ci` fails with "Missing: … from lock file" if an optional platform binary is absent from the
 * lock (docs/reference/errors-seen.md), a lock that names a registry's host binds every
 * installation to it, and an entry without a digest is whatever the registry sends. All are seen
 * here, before another install sees them. Looks at the folder above its own.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const entries = Object.entries(packages).filter(([path]) => path !== '');
const problems = [
  ...entries
    .filter(([, { resolved }]) => /^https?:/.test(resolved ?? ''))
    .map(([path]) => `${path} names a registry's host`),
  ...entries
    .filter(([, { integrity, inBundle }]) => !inBundle && !integrity?.startsWith('sha512-'))
    .map(([path]) => `${path} has no sha512 digest`),
  ...missing(),
];
for (const problem of problems) process.stderr.write(`package-lock.json: ${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** npm's own verdict; nothing is installed. */
function missing() {
  const { status, stdout, stderr } = spawnSync('npm', ['ci', '--dry-run', '--ignore-scripts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const lines = `${stdout}\n${stderr}`.match(/\b(?:Missing|Invalid): .*/g) ?? [];
  if (lines.length === 0 && status !== 0) return [`npm ci would fail: ${stderr.trim()}`];
  return [...new Set(lines)];
}
