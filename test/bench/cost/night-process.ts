import { createLog, createMetrics } from '#functions/_handler/output.ts';
import { createWorkerReports } from '#functions/_handler/worker-reports.ts';
import { campaignId, createUpdateBench } from '../../unit/functions/update-campaign-runs/harness/update-bench.ts';
import { nightCommands } from './count-commands.ts';

const functionName = 'update-campaign-runs';
const bench = createUpdateBench({ campaignId });
const { setRequestId, ...log } = createLog({ functionName, stage: 'prod' });
const metrics = createMetrics({ functionName, stage: 'prod' });
const { ledger } = bench;
const reports = createWorkerReports({ functionName, log, metrics, ledger, now: () => new Date() });

for (const command of nightCommands) {
  setRequestId('8f1d7b52-3c64-4d7e-9f55-000000000001');
  const { outcomes = [] } = await bench.deliver(command, { log, bus: { publish: async () => {} } });
  await reports.reportBatch(outcomes, 0);
}
process.disconnect();
