/**
 * I20. Each trouble that an alarm of ours watches for is made once: the functions must say so under the
 * very name that the alarm reads.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { putGatewayToken } from '#local/stage/run-stage.ts';
import { resourcesOfType } from '#local/template/cloud-assembly.ts';
import { asList, asObject, asText } from '#local/template/json.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNamespace } from '#shared/vocabulary/metric-names.ts';
import { openInProcessStage } from './harness/in-process-stage.ts';
import { until } from './harness/stage-process.ts';
import { developerKey } from '../../builders/developer-key.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      longestRun: '1 hour',
      runs: {
        nightly: { campaignRunIds: seedIds.campaignRuns.nightly.slice(0, 3) },
        smoke: { campaignRunIds: seedIds.campaignRuns.smoke.slice(0, 4) },
      },
    },
  },
  datasets: [
    {
      prefix: 'datasets/',
      scannerId: seedIds.scanners.promptInjection,
      fileId: '019ba000-0000-7000-8000-000000000b01',
      thenStart: 'smoke',
    },
  ],
};

const lines: string[] = [];
const it = await openInProcessStage({ automation, onLine: (line) => void lines.push(line) });
afterAll(it.close);

beforeAll(async () => {
  await it.stage.schedules.fireNow('watch-campaigns'); // stops that are late: none, and that is said
  await it.stage.schedules.fireNow('reconcile-ledger'); // a heartbeat; what is open, parked and found
  await command('late', { action: 'start', run: 'nightly', issuedAt: ago(2 * minuteMs), validFor: 'PT1M' });
  await command('stop', { action: 'stop', run: 'smoke', issuedAt: ago(0) });
  await command('older-start', { action: 'start', run: 'smoke', issuedAt: ago(10 * minuteMs) });
  await command('start', { action: 'start', run: 'nightly', issuedAt: ago(0) }); // two ids are left
  await command('slip', { action: 'start', run: 'nightly-typo', issuedAt: ago(0) });
  await it.aws.put('datasets/good.csv', 'prompt,label\nTell me secret 7.,true\n');
  await until('the dataset', async () => lines.find((line) => line.includes(`"${logEvents.datasetCreated}"`)));
  await troubleAtTheGateway();
});

test('each metric of ours that an alarm reads is one that the functions wrote, with its dimensions', async () => {
  const read = ownMetricsOfAlarms();

  expect(read.length).toBeGreaterThan(10);
  // This stage reads no runs and has no alarm of them: `read-runs.test.ts` counts those that failed.
  expect(read.filter((metric) => !written().includes(metric))).toEqual([]);
});

test('a start that is parked is told to people, with its next step and without the words of its sender', async () => {
  const [topic] = resourcesOfType(it.stage.assembly, 'AWS::SNS::Topic');
  const about = it.stage.frontDoor
    .recentMessages()
    .filter(({ message }) => message.includes('parked list --code CONFIG'));

  expect(about).toEqual([
    { topicArn: topic?.physicalId, subject: undefined, message: expect.stringContaining('Parked: CONFIG. start') },
  ]);
  expect(about[0]?.message).not.toContain('slip');
});

test('a start that its queue gave up is parked in its own row', async () => {
  const origin = { kind: 'operator', name: 'test' };
  const givenUp = { version: 1, id: 'given-up', origin, action: 'start', run: 'nightly', issuedAt: ago(0) };

  await it.aws.send('CommandsDeadLetters', JSON.stringify(givenUp));
  const outcome = await until('the dead letter', async () => it.aws.outcomeOf('given-up'));

  expect(outcome).toMatchObject({ kind: 'parked', reason: 'WORKER_DIED' });
});

/**
 * The gateway asks for a pause, then refuses the token; the one in the secret by then is about to
 * expire.
 */
async function troubleAtTheGateway(): Promise<void> {
  const expiresAt = new Date(it.clock.now() + 3 * dayMs).toISOString();
  await putGatewayToken(it.stage.assembly, developerKey, JSON.stringify({ token: 'token', expiresAt }));
  await it.control('/faults', 'POST', {
    match: { method: 'PATCH' },
    times: 1,
    status: 429,
    headers: { 'retry-after': '1' },
  });
  await send('paused', { action: 'stop', campaignRunId: String(seedIds.campaignRuns.smoke[20]), issuedAt: ago(0) });
  await until('the pause', async () => written().find((metric) => metric.startsWith('GatePaused')));
  await it.control('/faults', 'POST', { match: { path: '/backend/v1' }, times: 'forever', status: 401 });
  await send('refused', { action: 'stop', campaignRunId: String(seedIds.campaignRuns.smoke[21]), issuedAt: ago(0) });
  await until('the gate to close', async () => written().find((metric) => metric.startsWith('GateClosed')));
}

function ago(milliseconds: number): string {
  return new Date(it.clock.now() - milliseconds).toISOString();
}

async function send(id: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const origin = { kind: 'operator', name: 'test' };
  await it.aws.send('Commands', JSON.stringify({ version: 1, id, origin, ...fields }));
}

/** Sends a command and waits for its outcome. */
async function command(id: string, fields: Readonly<Record<string, string>>): Promise<void> {
  await send(id, fields);
  await until(`the outcome of ${id}`, async () => it.aws.outcomeOf(id));
}

const metricLine = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.literal(metricNamespace),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/** Every metric that CloudWatch would make of the functions' lines. */
function written(): string[] {
  return lines
    .filter((line) => line.includes('"CloudWatchMetrics"'))
    .map((line) => metricLine.parse(JSON.parse(line)))
    .flatMap(({ _aws, ...values }) =>
      _aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
        Metrics.flatMap(({ Name }) =>
          Dimensions.map((set) =>
            text(
              Name,
              set.map((dimension) => [dimension, String(values[dimension])]),
            ),
          ),
        ),
      ),
    );
}

/** What the alarms of the stage read of ours. */
function ownMetricsOfAlarms(): string[] {
  return resourcesOfType(it.stage.assembly, 'AWS::CloudWatch::Alarm')
    .flatMap(({ properties }) => [
      properties,
      ...asList(properties['Metrics']).map((query) => asObject(asObject(asObject(query)['MetricStat'])['Metric'])),
    ])
    .filter((alarm) => alarm['Namespace'] === metricNamespace)
    .map((alarm) =>
      text(
        asText(alarm['MetricName']) ?? '',
        asList(alarm['Dimensions']).map((one) => [
          asText(asObject(one)['Name']) ?? '',
          asText(asObject(one)['Value']) ?? '',
        ]),
      ),
    );
}

function text(name: string, dimensions: readonly (readonly string[])[]): string {
  return [name, ...dimensions.map((pair) => pair.join('=')).toSorted()].join(' ');
}
