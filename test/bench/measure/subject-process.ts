/** A process for one subject: does the task that its parent sends, answers with a sample, and ends. */
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { Prepare, Sample, Task } from './subject.ts';

async function measure({ file, input, warmUp, times }: Task): Promise<Sample> {
  const { prepare } = (await import(pathToFileURL(file).href)) as { prepare: Prepare };
  const work = await prepare(input);
  if (warmUp > 0) await work.run(warmUp);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await work.run(times);
  const { user, system } = process.cpuUsage(before);
  return {
    cpuUs: (user + system) / times,
    wallUs: ((performance.now() - startedAt) * 1000) / times,
    peakMb: process.resourceUsage().maxRSS / 1024,
  };
}

process.once('message', (task: Task) => {
  measure(task).then(
    (sample) => process.send?.(sample, () => process.exit(0)),
    (error: unknown) => {
      process.stderr.write(`${inspect(error)}\n`);
      process.exit(1);
    },
  );
});
