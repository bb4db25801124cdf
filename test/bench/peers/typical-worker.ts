/**
 * The worker as it is usually written: undici, the AWS client that it needs, Powertools and zod, by
 * the book. It reads its token from Secrets Manager and sends the PATCH of each message; it has no
 * ledger, no guards, no gate and no pace.
 */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { Agent, request, setGlobalDispatcher } from 'undici';
import * as z from 'zod';

const command = z.object({
  id: z.string(),
  action: z.enum(['start', 'stop']),
  campaignRunId: z.uuid(),
  issuedAt: z.iso.datetime(),
});

const logger = new Logger({ serviceName: 'typical' });
const metrics = new Metrics({ namespace: 'typical', serviceName: 'typical' });
const processor = new BatchProcessor(EventType.SQS);
const secrets = new SecretsManagerClient({});
setGlobalDispatcher(new Agent({ connections: 4 }));

let token: string | undefined;

async function readToken(): Promise<string> {
  const answer = await secrets.send(new GetSecretValueCommand({ SecretId: process.env['TOKEN_SECRET_ARN'] }));
  return answer.SecretString ?? '';
}

async function handleRecord(record: SQSRecord): Promise<void> {
  const { id, action, campaignRunId } = command.parse(JSON.parse(record.body));
  token ??= await readToken();
  const { statusCode, body } = await request(
    `${process.env['GATEWAY_URL']}/backend/v1/campaign-runs/${campaignRunId}`,
    {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ status: action === 'stop' ? 'stopped' : 'running' }),
    },
  );
  if (statusCode !== 200) throw new Error(`the gateway answered ${statusCode}`);
  await body.json();
  logger.info('applied', { id });
  metrics.addMetric('Applied', MetricUnit.Count, 1);
}

/** The deployed function. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const answer = await processPartialResponse(event, handleRecord, processor, { context });
  metrics.publishStoredMetrics();
  return answer;
}
