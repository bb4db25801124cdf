import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { createMetrics, type Metrics } from '#functions/_handler/metrics.ts';
import { packageFolder } from '#shared/places.ts';
import { functionNames } from '#shared/vocabulary/function-names.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';

/** What CloudWatch makes of the line that a function of the stage prod writes when it counts a metric. */
export function emitted(functionName: string, metric: string) {
  const name = Object.values(metricNames).find((known) => known === metric) ?? metricNames.later;
  return emittedBy(functionName, ({ count }) => count(name, 1));
}

/** The same of whatever it does to its metrics. */
export function emittedBy(functionName: string, change: (metrics: Metrics) => void) {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  const metrics = createMetrics({ functionName, stage: 'prod' });
  change(metrics);
  metrics.publish();
  spy.mockRestore();
  const line = JSON.parse(written[0] ?? '{}');
  const [told] = line['_aws'].CloudWatchMetrics;
  const [set]: string[][] = told.Dimensions;
  return {
    namespace: told.Namespace,
    dimensions: Object.fromEntries((set ?? []).map((dimension) => [dimension, line[dimension]])),
  };
}

/** What is counted for every worker: each outcome by its kind, and what goes back to its queue. */
const countedForAll = new Set(['applied', 'superseded', 'skipped', 'ignored', 'parked', 'missedWindow', 'later']);

/** The folders of `functions/` whose sources count a metric. */
export function countedBy(metric: string): string[] {
  const [key = ''] = Object.entries(metricNames).find(([, name]) => name === metric) ?? [];
  if (countedForAll.has(key)) return [...functionNames];
  const word = new RegExp(`metricNames\\.${key}\\b`);
  const folders = globSync('functions/**/*.ts', { cwd: packageFolder })
    .filter((path) => word.test(readFileSync(join(packageFolder, path), 'utf8')))
    .map((path) => path.replaceAll('\\', '/').split('/')[1] ?? '');
  return [...new Set(folders)];
}
