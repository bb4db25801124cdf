/**
 * A process for one cold start: imports a bundle, gives it its first events, and says what that
 * took. Nothing else is loaded before.
 */
import { pathToFileURL } from 'node:url';

const context = { awsRequestId: 'bench-1', functionName: 'bench', getRemainingTimeInMillis: () => 30_000 };

async function measure({ file, events }) {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const { handler } = await import(pathToFileURL(file).href);
  let answer;
  for (const event of events) answer = await handler(event, context);
  const { user, system } = process.cpuUsage(before);
  const wallUs = (performance.now() - startedAt) * 1000;
  return { answer, cpuUs: user + system, wallUs, peakMb: process.resourceUsage().maxRSS / 1024 };
}

process.once('message', (task) => {
  measure(task).then(
    (sample) => process.send(sample, () => process.exit(0)),
    (error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    },
  );
});
