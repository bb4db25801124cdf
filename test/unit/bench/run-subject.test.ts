import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSubject } from '../../bench/measure/run-subject.ts';

async function run(source: string) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-bench-'));
  const file = join(folder.path, 'subject.mjs');
  await writeFile(file, `export const prepare = async () => ({ run: async (times) => { ${source} } });`);
  // Awaited here: the folder is gone once this function is left.
  return await runSubject({ file, input: { origin: 'http://127.0.0.1:1' }, warmUp: 0, times: 2 });
}

test('work that was done is a sample', async () => {
  expect(await run('')).toEqual({
    cpuUs: expect.any(Number),
    wallUs: expect.any(Number),
    peakMb: expect.any(Number),
  });
});

test.each([
  ["process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});", 'SIGKILL'],
  ['process.exit(0);', '0'],
])('a process that ends at its work (%s) is no sample', async (source, how) => {
  await expect(run(source)).rejects.toThrow(`ended with ${how} and measured nothing`);
});
