import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { expect, test, vi } from 'vitest';

import { isAlive } from './local-functions.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

test('when the runner is killed its functions end by themselves, also in the middle of an invocation', async () => {
  const folder = folderOfTest();
  const runner = spawn(process.execPath, [fileURLToPath(new URL('fixture/runner.ts', import.meta.url)), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: Buffer[] = await once(runner.stdout, 'data');
  const pids = JSON.parse(String(line)) as number[];
  expect(pids.map((pid) => isAlive(pid))).toEqual([true]);

  runner.kill('SIGKILL');

  await vi.waitFor(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]), { timeout: 120_000 });
});
