/**
 * `npm ci` fails with "Missing: … from lock file" where an optional platform binary is absent from the lock (docs/errors-seen.md), and a
 * lock that names a registry's host binds everybody to it. Both are seen here, before somebody else's install sees them.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const lock = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const named = lock.match(/"resolved": "https?:/g)?.length ?? 0;
const dryRun = execFileSync('npm', ['ci', '--dry-run', '--ignore-scripts'], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'pipe'],
});
const missing = dryRun.split('\n').filter((line) => line.includes('Missing:'));

if (missing.length > 0 || named > 0) {
  process.stderr.write(`package-lock.json: ${named} entries name a registry's host; missing:\n${missing.join('\n')}\n`);
  process.exitCode = 1;
}
