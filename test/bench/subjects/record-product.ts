import { stageSenders } from '../../builders/commands-by-sender.ts';
import type { SQSEvent } from 'aws-lambda';
import { createGate } from '#functions/_gateway/create-gate.ts';
import { createLog, createMetrics } from '#functions/_handler/function-log.ts';
import { createRateLimiter } from '#functions/_gateway/rate-limiter.ts';
import { handleBatch } from '#functions/_handler/queue-worker.ts';
import { createRedactor } from '#shared/text/redact.ts';
import { createWorkerReports, type WorkerReports } from '#functions/_handler/worker-reports.ts';
import type { RunCommandDeps } from '#functions/_runs/decide/state.ts';
import { handleCommand } from '#functions/_runs/handle-command.ts';
import { createGatewayWithin } from '#functions/_gateway/gateway-calls.ts';
import { createGatewayCalls } from '#functions/update-campaign-runs/send-patch.ts';
import type { Prepare } from '../measure/subject.ts';
import { functionConfig } from '../measure/function-config.ts';
import { change } from './change.ts';
import { createLightLedger } from '../../builders/light-ledger.ts';

const functionMs = 30_000;
const functionName = 'update-campaign-runs';

const now = () => new Date();

/** Every command is one of its own, about a run of its own: nothing is answered from what an earlier one left. */
let commands = 0;
const runs = 100_000_000_000;
const issuedAt = new Date().toISOString();

/** The product's worker from the SQS event to the partial batch response, with its gate, log, metrics and reports, the ledger in memory. */
export const prepare: Prepare = async ({ origin, batch = 10 }) => {
  const ledger = createLightLedger();
  const { random } = Math;
  const secrets = new Set([change.token]);
  const { setRequestId, ...log } = createLog({ functionName, stage: 'bench', redact: createRedactor(secrets) });
  const metrics = createMetrics({ functionName, stage: 'bench' });
  const { reportBatch, ...said } = createWorkerReports({ functionName, log, metrics, ledger, now });
  let applied = 0;
  const reports: WorkerReports = {
    ...said,
    reportBatch(outcomes, laterCount) {
      for (const { kind } of outcomes) if (kind === 'applied') applied += 1;
      return reportBatch(outcomes, laterCount);
    },
  };
  const gate = createGate({ ledger, probe: async () => {}, owner: 'bench', log, count: metrics.count, now, random });
  const tokenProvider = { get: async () => change.token, refresh: async () => change.token };
  const gatewayWithin = createGatewayWithin({ baseUrl: origin, tokenProvider, log });
  const config = { ...functionConfig(origin), requestsPerSecond: 1e6, readsPerSecond: 1e6 };
  const ports = {
    ledger,
    acting: ledger,
    bus: { publish: async () => {} },
    senders: stageSenders,
    commands: { send: async () => {} },
    gate,
    rateLimiter: createRateLimiter({ runs: 1e6, reads: 1e6 }),
    config,
    random,
    count: () => {},
  };
  let made: RunCommandDeps | undefined;
  const depsWithin = (remainingMs: number): RunCommandDeps => {
    if (made !== undefined) return made;
    const { gateway, callBudgetMs } = gatewayWithin(remainingMs);
    made = { ...ports, callBudgetMs, calls: createGatewayCalls({ gateway, gate, callBudgetMs, config }) };
    return made;
  };
  const worker = {
    reports,
    now,
    random,
    recordBudgetMs: 20_000,
    postpone: async () => {},
    handleRecord: (...[record, context]: Parameters<Parameters<typeof handleBatch>[2]['handleRecord']>) =>
      handleCommand(record, context, depsWithin(context.remainingMs())),
  };
  return {
    async run(times) {
      const event = eventOf(batch);
      const before = applied;
      for (let done = 0; done < times; done += batch) {
        const requestId = `bench-${done}`;
        setRequestId(requestId);
        await handleBatch(withNewRecords(event), { requestId, remainingMs: () => functionMs }, worker);
      }
      if (applied - before !== times) throw new Error(`of ${times} stops ${applied - before} were applied`);
    },
  };
};

/** As Lambda hands it over. Making it is none of the worker's work: it is made once, and each time has other messages in it. */
function eventOf(size: number): SQSEvent {
  const sentAt = String(Date.now());
  return { Records: Array.from({ length: size }, () => emptyRecord(sentAt)) };
}

function withNewRecords(event: SQSEvent): SQSEvent {
  for (const record of event.Records) {
    commands += 1;
    const id = `stop-${commands}`;
    record.messageId = id;
    record.body = `{"version":1,"id":"${id}","action":"stop","campaignRunId":"019ba000-0000-7000-8000-${runs + commands}","issuedAt":"${issuedAt}","origin":{"kind":"operator","name":"bench"}}`;
  }
  return event;
}

function emptyRecord(sentAt: string): SQSEvent['Records'][number] {
  return {
    messageId: '',
    receiptHandle: 'receipt',
    body: '',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: sentAt,
      SenderId: 'bench',
      ApproximateFirstReceiveTimestamp: sentAt,
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:commands',
    awsRegion: 'eu-west-1',
  };
}
