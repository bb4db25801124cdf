import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../infra/bundle/build-functions.ts';
import { mappingConcurrency } from '../../../infra/config/concurrency.ts';
import { configParts } from '../../../infra/config/config-parts.ts';
import { loadAutomation } from '../../../infra/config/load-automation.ts';

test.each([
  [4, 2],
  [60, 2],
  [100, 4],
  [500, 16],
  [1_000_000, 1000],
])('a gateway of %d datasets a second is served by %d environments', (datasets, environments) => {
  const gateway = {
    baseUrl: 'https://gateway.example.com',
    status: { start: 'a', stop: 'b' },
    requestsPerSecond: { datasets, runs: 1, reads: 1 },
    alreadyInState: [],
    postMayRepeatOn: [],
  };

  expect(mappingConcurrency(gateway).uploads).toBe(environments);
});

test('each environment has its share of the rate, so that all together keep to it', async () => {
  const { automation } = await loadAutomation({ configPath: join(projectRoot, 'automation.config.ts'), stage: 'prod' });

  const parts = configParts(automation);

  expect(parts['register-datasets'].requestsPerSecond).toBe(4 / 2);
  expect(parts['update-campaign-runs'].requestsPerSecond).toBe(0.5 / 2);
  expect(parts['update-campaign-runs'].readsPerSecond).toBe(2 / 2);
  expect(parts['poll-scanner-packages'].requestsPerSecond).toBe(2);
  expect(parts['watch-projects'].requestsPerSecond).toBe(2 / 1);
});

test('each function carries its part of the configuration and no more', async () => {
  const { automation } = await loadAutomation({ configPath: join(projectRoot, 'automation.config.ts'), stage: 'prod' });

  const keys = Object.fromEntries(
    Object.entries(configParts(automation)).map(([name, part]) => [name, Object.keys(part)]),
  );

  expect(keys).toEqual({
    'poll-scanner-packages': ['stage', 'gateway', 'packageWatches', 'requestsPerSecond'],
    'update-campaign-runs': ['stage', 'timezone', 'gateway', 'runs', 'requestsPerSecond', 'readsPerSecond'],
    'register-datasets': ['stage', 'gateway', 'datasetRules', 'requestsPerSecond'],
    'send-run-plans': ['stage', 'runPlans', 'runNames'],
    'park-dead-letters': ['stage'],
    'reconcile-ledger': ['stage', 'datasetPrefixes'],
    'watch-campaigns': ['stage'],
    'watch-projects': ['stage', 'gateway', 'projectWatches', 'requestsPerSecond', 'projectOfRun'],
  });
});
