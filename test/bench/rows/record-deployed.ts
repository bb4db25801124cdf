import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRow } from '../bench-row.ts';
import { compareCpu } from '../measure/compare-cpu.ts';
import { countCalls } from '../measure/count-calls.ts';
import { buildDeployed, functionEnvironment, stopEvent } from '../measure/deployed-function.ts';
import { unpacedConfig } from '../measure/function-config.ts';
import { awsOfNobody } from '../measure/run-cold.ts';
import { openResponder } from '../responder/open-responder.ts';

const subjects = join(import.meta.dirname, '..', 'subjects');
const batch = 10;
const countedBatches = 4;

/** The PATCH. */
const gatewayCalls = 1;

/**
 * The worker as it is uploaded, with the clients of AWS, from the SQS event to the batch response.
 * The command is a stop of a run.
 */
export const recordDeployed: BenchRow = {
  id: 'record-deployed',
  title: 'CPU per SQS record as deployed',
  peer: 'as many bare requests of undici',
  isNoiseFree: false,
  async measure({ random, rounds }) {
    await using responder = await openResponder();
    await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-bench-'));
    const { origin } = responder;
    const bundle = await buildDeployed('update-campaign-runs', folder.path, origin, unpacedConfig(origin));
    const events = Array.from({ length: countedBatches }, () => stopEvent(batch));
    const counted = { bundle, events, records: batch * countedBatches, method: 'PATCH' } as const;
    const { awsCalls } = await countCalls(counted, responder);
    const environment = { ...awsOfNobody, ...functionEnvironment(origin) };
    const { ratio, detail, sameTwice, asides } = await compareCpu(
      {
        product: { name: 'worker as deployed', file: join(subjects, 'record-deployed.ts'), environment },
        peer: { name: 'bare requests', file: join(subjects, 'requests-undici.ts') },
        input: { origin, batch, bundle, requests: awsCalls + gatewayCalls },
        warmUp: 1000,
        times: 1000,
        turns: 5,
        rounds,
      },
      { random },
    );
    return {
      figures: [{ name: `batch of ${batch}`, value: ratio.median, unit: '×', bar: 4.5, detail }],
      notes: [`a record makes ${Number(awsCalls.toFixed(2))} calls of AWS and one of the gateway`],
      asides,
      sameTwice,
    };
  },
};
