import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildDeployed, functionEnvironment } from '../measure/deployed-function.ts';
import { functionConfig } from '../measure/function-config.ts';
import { awsOfNobody } from '../measure/run-cold.ts';
import { openSubject } from '../measure/run-subject.ts';
import { spreadOf } from '../measure/statistics.ts';
import { openResponder } from '../responder/open-responder.ts';

const subject = join(import.meta.dirname, '..', 'subjects', 'record-deployed.ts');
const batch = 10;
const warmUp = 500;
const times = 500;

/**
 * What a record takes as it is deployed: the same worker, and the clients of AWS, whose CPU the figures with a bar leave out. For a note.
 * @throws Error where not every record was done
 */
export async function deployedRecord(rounds: number): Promise<string> {
  await using responder = await openResponder();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-bench-'));
  const bundle = await buildDeployed('update-campaign-runs', folder.path, responder.origin);
  const config = functionConfig(responder.origin);
  const gateway = { ...config.gateway, requestsPerSecond: { datasets: 1e6, runs: 1e6, reads: 1e6 } };
  const unpaced = { ...config, gateway, requestsPerSecond: 1e6, readsPerSecond: 1e6 };
  await writeFile(join(dirname(bundle), 'config.json'), JSON.stringify(unpaced));
  const environment = { ...awsOfNobody, ...functionEnvironment(responder.origin) };
  const task = { file: subject, input: { origin: responder.origin, batch, bundle }, warmUp };
  const cpuUs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await using opened = await openSubject(task, environment);
    const sample = await opened.take(times);
    cpuUs.push(sample.cpuUs);
  }
  const { PATCH: changes = 0, ...asked } = await responder.asked();
  const records = rounds * (warmUp + times);
  if (changes !== records) throw new Error(`of ${records} deployed records ${changes} were sent`);
  const calls = Object.values(asked).reduce((sum, count) => sum + count, 0) / records;
  const { median, low, high } = spreadOf(cpuUs.map((us) => us / 1000));
  return `as it is deployed, batch of ${batch}: ${median.toFixed(1)} ms (middle half ${low.toFixed(1)}–${high.toFixed(1)}), nearly all of it the AWS clients' for ${calls.toFixed(1)} calls a record; the figures with a bar are of the worker without them`;
}
