import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics } from '../../../../functions/_runtime/metrics.ts';
import { metricNames } from '../../../../shared/vocabulary/metric-names.ts';

/** Powertools writes to the standard output; nothing to hand in instead. */
function capture(): string[] {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  return written;
}

test('writes what was counted as one line that CloudWatch reads, and nothing where nothing was', () => {
  const written = capture();
  const metrics = createMetrics({ functionName: 'register-datasets', stage: 'prod' });

  metrics.publish();
  metrics.count(metricNames.gateClosed, 1);
  metrics.count(metricNames.authRefused, 2);
  metrics.publish();
  metrics.publish();

  expect(written).toHaveLength(1);
  expect(JSON.parse(written[0] ?? '')).toMatchObject({
    GateClosed: 1,
    AuthRefused: 2,
    stage: 'prod',
    service: 'register-datasets',
    _aws: { CloudWatchMetrics: [{ Namespace: 'GatewayAutopilot' }] },
  });
});
