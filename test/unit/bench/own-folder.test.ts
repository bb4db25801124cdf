import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const module = join(import.meta.dirname, '..', '..', 'bench', 'own-folder.ts');

test('what a bench wrote aside is gone when a signal ends it', async () => {
  const code = `
    import { mkdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    import { useOwnTemporaryFolder } from ${JSON.stringify(module)};
    useOwnTemporaryFolder();
    const written = join(tmpdir(), 'bundle');
    mkdirSync(written);
    process.stdout.write(written);
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(child.stdout, 'data');
  const written = String(said);
  expect(existsSync(written)).toBe(true);

  child.kill('SIGTERM');
  const [exitCode] = await once(child, 'exit');

  expect(exitCode).toBe(143);
  expect(existsSync(join(written, '..'))).toBe(false);
});
