import type { SQSEvent } from 'aws-lambda';
import { createGate } from '../../../functions/_runtime/create-gate.ts';
import { createLog } from '../../../functions/_runtime/log.ts';
import { createMetrics } from '../../../functions/_runtime/metrics.ts';
import { createTurns } from '../../../functions/_runtime/pacer.ts';
import { handleBatch } from '../../../functions/_runtime/queue-worker.ts';
import { createWorkerReports } from '../../../functions/_runtime/worker-reports.ts';
import { createRunGateway } from '../../../functions/update-campaign-runs/run-gateway.ts';
import { updateCampaignRun } from '../../../functions/update-campaign-runs/update-campaign-run.ts';
import type { CampaignRunCommand } from '../../../shared/messages/campaign-run-command.ts';
import type { Prepare } from '../measure/subject.ts';
import { change } from './change.ts';
import { createPlainLedger } from './plain-ledger.ts';

const functionMs = 30_000;
const functionName = 'update-campaign-runs';

const now = () => new Date();

/** Every command is one of its own, about a run of its own: nothing is answered from what an earlier one left. */
let commands = 0;

/** The product's worker from the SQS event to the partial batch response, with its gate, log, metrics and reports, the ledger in memory. */
export const prepare: Prepare = async ({ origin, batch = 10 }) => {
  const ledger = createPlainLedger();
  const { random } = Math;
  const secrets = new Set([change.token]);
  const redact = (text: string) => [...secrets].reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  const { setRequestId, ...log } = createLog({ functionName, stage: 'bench', redact });
  const metrics = createMetrics({ functionName, stage: 'bench' });
  const reports = createWorkerReports({ functionName, log, metrics, ledger, now });
  const gate = createGate({ ledger, probe: async () => {}, owner: 'bench', log, count: metrics.count, now, random });
  const tokenProvider = { get: async () => change.token, refresh: async () => change.token };
  const gatewayWithin = createRunGateway({ baseUrl: origin, tokenProvider, log, mode: 'act' });
  const deps = {
    ledger,
    acting: ledger,
    bus: { publish: async () => {} },
    commands: { send: async () => {} },
    gate,
    turns: { runs: createTurns(1e6), reads: createTurns(1e6) },
    config: configOf(origin),
    random,
    onRunningLow: () => {},
  };
  const worker = {
    reports,
    now,
    random,
    recordBudgetMs: 20_000,
    postpone: async () => {},
    handleRecord: (...[record, context]: Parameters<Parameters<typeof handleBatch>[2]['handleRecord']>) =>
      updateCampaignRun(record, context, { ...deps, ...gatewayWithin(context.remainingMs()) }),
  };
  return {
    async run(times) {
      for (let done = 0; done < times; done += batch) {
        const requestId = `bench-${done}`;
        setRequestId(requestId);
        const { batchItemFailures } = await handleBatch(
          eventOf(batch),
          { requestId, remainingMs: () => functionMs },
          worker,
        );
        if (batchItemFailures.length > 0) throw new Error('a record came back');
      }
    },
  };
};

function configOf(baseUrl: string): Parameters<typeof updateCampaignRun>[2]['config'] {
  return {
    stage: 'bench',
    mode: 'act',
    blackouts: [],
    timezone: 'Europe/Dublin',
    gateway: {
      baseUrl,
      status: { start: 'running', stop: change.status },
      requestsPerSecond: { datasets: 1e6, runs: 1e6, reads: 1e6 },
      alreadyInState: [],
      postMayRepeatOn: [],
    },
    runs: {},
    requestsPerSecond: 1e6,
    readsPerSecond: 1e6,
  };
}

function eventOf(size: number): SQSEvent {
  return { Records: Array.from({ length: size }, () => recordOf(nextCommand())) };
}

function nextCommand(): CampaignRunCommand {
  commands += 1;
  return {
    version: 1,
    id: `by-morning@${commands}`,
    action: 'stop',
    campaignRunId: `019ba000-0000-7000-8000-${String(commands).padStart(12, '0')}`,
    issuedAt: new Date().toISOString(),
    origin: { kind: 'schedule', name: 'by-morning' },
  };
}

function recordOf(command: CampaignRunCommand): SQSEvent['Records'][number] {
  return {
    messageId: command.id,
    receiptHandle: 'receipt',
    body: JSON.stringify(command),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(Date.now()),
      SenderId: 'bench',
      ApproximateFirstReceiveTimestamp: String(Date.now()),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:commands',
    awsRegion: 'eu-west-1',
  };
}
