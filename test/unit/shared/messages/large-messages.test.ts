import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('read-large-messages.ts', import.meta.url));

// A name of 1 MB ended a worker of 512 MB before it had counted the attempt, so again and again.
test('no message of 1 MB needs 64 MB to be read', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=64', program]);

  expect(stdout).toMatch(/a word\n$/);
});
