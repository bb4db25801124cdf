import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics } from '#functions/_handler/output.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';

/** Powertools writes to the standard output; nothing to hand in instead. */
function capture(): string[] {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  return written;
}

test('writes what was counted as one line that CloudWatch reads, and nothing if nothing was', () => {
  const written = capture();
  const metrics = createMetrics({ functionName: 'register-datasets', stage: 'prod' });

  metrics.publish();
  metrics.count(metricNames.applied, 1);
  metrics.count(metricNames.parked, 2);
  metrics.publish();
  metrics.publish();

  expect(written.map((line) => JSON.parse(line))).toMatchObject([
    {
      Applied: 1,
      Parked: 2,
      stage: 'prod',
      service: 'register-datasets',
      _aws: { CloudWatchMetrics: [{ Namespace: 'GatewayAutopilot', Dimensions: [['service', 'stage']] }] },
    },
  ]);
});

test('is the embedded metric format: a time, units, and every value of what was counted often', () => {
  const written = capture();
  const metrics = createMetrics({ functionName: 'reconcile-ledger', stage: 'prod' });
  const before = Date.now();

  metrics.count(metricNames.applied, 1);
  metrics.count(metricNames.applied, 1);
  metrics.level(metricNames.oldestOpenSeconds, 61);
  metrics.publish();

  const [line] = written.map((text) => JSON.parse(text));
  expect(written).toHaveLength(1);
  expect(line).toEqual({
    _aws: {
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [
        {
          Namespace: 'GatewayAutopilot',
          Dimensions: [['service', 'stage']],
          Metrics: [
            { Name: 'Applied', Unit: 'Count' },
            { Name: 'OldestOpenSeconds', Unit: 'Seconds' },
          ],
        },
      ],
    },
    service: 'reconcile-ledger',
    stage: 'prod',
    Applied: [1, 1],
    OldestOpenSeconds: 61,
  });
  expect(line['_aws'].Timestamp).toBeGreaterThanOrEqual(before);
});

test('writes no more values into one line than CloudWatch takes', () => {
  const written = capture();
  const metrics = createMetrics({ functionName: 'reconcile-ledger', stage: 'prod' });

  for (let time = 0; time < 101; time += 1) metrics.count(metricNames.applied, 1);
  metrics.publish();

  expect(written.map((text) => JSON.parse(text).Applied)).toEqual([Array.from({ length: 100 }, () => 1), 1]);
});

test('counts what is seen of the gateway under one name, whichever function sees it, so that one alarm sees it all', () => {
  const written = capture();
  for (const functionName of ['register-datasets', 'watch-campaigns']) {
    const metrics = createMetrics({ functionName, stage: 'prod' });
    metrics.count(metricNames.gateClosed, 1);
    metrics.count(metricNames.applied, 1);
    metrics.publish();
  }

  expect(written.map((line) => JSON.parse(line)).map(({ service, GateClosed }) => [service, GateClosed])).toEqual([
    ['gateway', 1],
    ['register-datasets', undefined],
    ['gateway', 1],
    ['watch-campaigns', undefined],
  ]);
});

test('writes a level with a reason on a line of its own', () => {
  const written = capture();
  const metrics = createMetrics({ functionName: 'reconcile-ledger', stage: 'prod' });

  metrics.level(metricNames.parkedOpen, 3);
  metrics.level(metricNames.parkedOpen, 2, 'VALIDATION');
  metrics.publish();

  const lines = written.map((line) => JSON.parse(line));
  expect(lines.find(({ reason }) => reason === undefined)).toMatchObject({
    ParkedOpen: 3,
    service: 'reconcile-ledger',
  });
  expect(lines.find(({ reason }) => reason === 'VALIDATION')).toMatchObject({
    ParkedOpen: 2,
    _aws: { CloudWatchMetrics: [{ Dimensions: [['service', 'stage', 'reason']] }] },
  });
});
