/**
 * A process for one subject: makes ready what its parent sends, then does turns of it and answers
 * each with a sample. It ends with its channel.
 */
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { Answer, Order, Prepare, Sample, Task, Work } from './subject.ts';

let work: Work | undefined;

async function obey(order: Order): Promise<Answer> {
  if ('task' in order) {
    work = await makeReady(order.task);
    return 'ready';
  }
  if (work === undefined) throw new Error('nothing was made ready');
  return measure(work, order.times);
}

async function makeReady({ file, input, warmUp }: Task): Promise<Work> {
  const { prepare } = (await import(pathToFileURL(file).href)) as { prepare: Prepare };
  const ready = await prepare(input);
  if (warmUp > 0) await ready.run(warmUp);
  return ready;
}

async function measure({ run }: Work, times: number): Promise<Sample> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await run(times);
  const { user, system } = process.cpuUsage(before);
  return {
    cpuUs: (user + system) / times,
    wallUs: ((performance.now() - startedAt) * 1000) / times,
  };
}

process.on('message', (order: Order) => {
  obey(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      process.stderr.write(`${inspect(error)}\n`);
      process.exit(1);
    },
  );
});
process.once('disconnect', () => process.exit(0));
