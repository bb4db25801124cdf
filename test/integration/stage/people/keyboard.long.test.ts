import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../../local/lambda/local-functions.ts';
import { datasetsOf } from '../harness/control-data.ts';
import { failToStart, startStageProcess } from '../harness/stage-process.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const folder = folderOfFile();

/** The function processes of a run. */
function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid && child !== undefined ? [child] : []));
}

test('Ctrl-C ends it with nothing left running, a restart keeps the state, and --fresh forgets it', async () => {
  const dataDir = join(folder, 'kept');
  const first = await startStageProcess(dataDir);
  await first.autopilot('upload', 'examples/datasets/benign-look-alikes.csv');
  const functions = childrenOf(first.pid);
  const code = await first.end('SIGINT');
  const offer = await first.autopilot('status');

  const second = await startStageProcess(dataDir);
  const kept = await datasetsOf(second);
  const other = await failToStart('--data', dataDir, '--port', '0', '--gateway-port', '0');
  await second.end('SIGTERM');
  const third = await startStageProcess(dataDir, '--fresh');
  const forgotten = await datasetsOf(third);
  renameSync(dataDir, `${dataDir}-elsewhere`);
  const orphaned = await third.end('SIGINT');

  expect(code).toBe(0);
  expect(functions.length).toBeGreaterThan(0);
  expect(functions.filter(isAlive)).toEqual([]);
  expect(offer).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^autopilot: no local run has its state in .*: start it$/m),
  });
  expect(kept).toHaveLength(1);
  expect(other).toMatchObject({ code: 1, output: expect.stringContaining('runs already') });
  expect(forgotten).toEqual([]);
  expect(second.output()).toContain(
    `the state is kept, and this goes on with it: npx --no -- autopilot start --data ${dataDir}\n`,
  );
  expect(third.output()).toContain(`ending; ${dataDir} is gone, and the state with it`);
  expect(third.output()).not.toContain('the state is kept, ');
  expect(orphaned).toBe(0);
});

test('a port in use is one sentence and a non-zero exit', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? String(address?.port) : '';

  const { code, output } = await failToStart('--data', join(folder, 'port'), '--port', port);
  server.close();

  expect(code).toBe(1);
  expect(output.trim()).toMatch(new RegExp(`^port ${port} is in use: .*--port$`));
});

test.each([
  [1, ['--gateway', 'https://gateway.example.com'], 'AUTOPILOT_GATEWAY_TOKEN'],
  [2, ['--gateway', 'gateway'], 'no URL'],
  [2, ['--port', 'http'], 'no port'],
  [2, ['--port', '4600', '--gateway-port', '4600'], '--port and --gateway-port are both 4600'],
  [1, ['--data', '/proc/absent/data'], '/proc/absent/data cannot be used (ENOENT): name another folder with --data'],
  [2, ['--prot', '4566'], '--help'],
  [2, ['--stage', 'staging'], 'staging'],
  [2, ['--config', 'nowhere.ts'], 'there is no file'],
  [1, ['--data', 'README.md'], 'README.md cannot be used (ENOTDIR): name another folder with --data'],
])('ends with %i, in one clear sentence, and leaves no folder behind: %j', async (exitCode, args, words) => {
  const usual = { '--data': join(folder, 'wrong'), '--gateway-port': '0', '--port': '0' };
  // An option that is there twice is refused.
  const others = Object.entries(usual).filter(([option]) => !args.includes(option));
  const { code, output } = await failToStart(...others.flat(), ...args);

  expect(code).toBe(exitCode);
  expect(existsSync(join(folder, 'wrong'))).toBe(false);
  expect(output).toContain(words);
  expect(output).not.toMatch(/^\s+at /m);
});
