import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog, createMetrics, writeLine } from '#functions/_handler/function-log.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';

/** The process's own streams; nothing to hand in instead. */
function capture(): string[] {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, 'write').mockImplementation((chunk: unknown) => written.push(String(chunk)) > 0);
    onTestFinished(() => spy.mockRestore());
  }
  return written;
}

const redact = (text: string) => text.replaceAll('canary', '***');

/** A log whose lines are kept, without secrets. */
function keptLog(leastLevel?: string) {
  const lines = capture();
  return { lines, log: createLog({ functionName: 'register-datasets', stage: 'test', leastLevel, redact }) };
}

test('a standard output that breaks does not end the process', () => {
  capture();
  writeLine('one');

  expect(() => process.stdout.emit('error', new Error('EPIPE'))).not.toThrow();
});

test('[F11] an injected line break stays inside one JSON line', () => {
  const { lines, log } = keptLog();

  log.info('outcome', 'applied', { key: 'a\n{"event":"outcome","outcome":"applied"}\u2028b' });

  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    event: 'outcome',
    key: 'a\n{"event":"outcome","outcome":"applied"}\u2028b',
  });
});

test('[F12] a secret is redacted wherever it stands: in the sentence, in fields and in their names', () => {
  const { lines, log } = keptLog();

  log.error('failed', 'refused canary', { error: new Error('with canary'), nested: [{ deep: 'canary' }], canary: 1 });

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'refused ***', nested: [{ deep: '***' }], '***': 1 });
  expect(lines.join('')).not.toContain('canary');
});

test('[F12] a secret that the cap would cut is redacted whole', () => {
  const { lines, log } = keptLog();

  log.info('failed', 'broken', { text: `${'x'.repeat(2045)}canary` });

  expect(lines.join('')).not.toContain('can');
});

test('a line is what people and queries read, and no more', () => {
  const lines = capture();
  const { setRequestId, ...log } = createLog({ functionName: 'update-campaign-runs', stage: 'prod' });
  setRequestId('8f1d7b52-3c64-4d7e-9f55-000000000001');

  log.info('outcome', 'applied by-morning@1', { outcome: 'applied', reason: undefined });

  expect(lines).toEqual([
    `${JSON.stringify({
      level: 'INFO',
      message: 'applied by-morning@1',
      service: 'update-campaign-runs',
      stage: 'prod',
      requestId: '8f1d7b52-3c64-4d7e-9f55-000000000001',
      event: 'outcome',
      outcome: 'applied',
    })}\n`,
  ]);
});

test('no field stands in for what a line says of itself', () => {
  const { lines, log } = keptLog();

  log.warn('failed', 'broken', { level: 'INFO', event: 'outcome', service: 'another', huge: 1n });

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'WARN',
    event: 'failed',
    service: 'register-datasets',
    huge: '1',
  });
});

test.each([
  [undefined, ['INFO', 'WARN', 'ERROR']],
  ['', ['INFO', 'WARN', 'ERROR']],
  ['loud', ['INFO', 'WARN', 'ERROR']],
  ['DEBUG', ['DEBUG', 'INFO', 'WARN', 'ERROR']],
  ['debug', ['DEBUG', 'INFO', 'WARN', 'ERROR']],
  ['ERROR', ['ERROR']],
])('of the level "%s" on, lines are written: %j', (leastLevel, written) => {
  const { lines, log } = keptLog(leastLevel);

  log.debug('gateway_request', 'PATCH');
  log.info('outcome', 'applied');
  log.warn('record_later', 'later');
  log.error('failed', 'broken');

  expect(lines.map((line) => JSON.parse(line).level)).toEqual(written);
});

test('writes what was counted once, in the embedded metric format: a time, units, every value', () => {
  const written = capture();
  const metrics = createMetrics({ functionName: 'reconcile-ledger', stage: 'prod' });
  const before = Date.now();

  metrics.publish();
  metrics.count(metricNames.applied, 1);
  metrics.count(metricNames.applied, 1);
  metrics.level(metricNames.oldestOpenSeconds, 61);
  metrics.publish();
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
