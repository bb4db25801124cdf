import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { heapOptions } from '#local/lambda/function-process.ts';

const child = join(import.meta.dirname, 'file-memory-child.ts');

/** What the function's 512 MB leave beside its clients (85 MB) and the five bodies as they are encrypted (70 MB). */
const mostMb = 355;

// With the pieces of each file kept beside its body it took 70 MB more. On a busy machine the collector may come some MB late, so it has three tries.
test(
  '[D13] I16: five files of the largest size, one of them checked, are sent within the memory of the function',
  { timeout: 120_000, retry: 2 },
  async () => {
    const options = heapOptions({ memoryMb: 512 });

    const { stdout } = await promisify(execFile)(process.execPath, [...options, child]);

    const { outcomes, sentBytes, mostMb: usedMb } = JSON.parse(stdout);
    expect(outcomes).toHaveLength(5);
    expect(String(outcomes)).not.toContain('parked');
    expect(sentBytes).toBeGreaterThan(69_000_000);
    expect(usedMb).toBeLessThan(mostMb);
  },
);
