import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { mappingConcurrency } from '#infra/config/stage-numbers.ts';
import { configParts } from '#infra/config/config-parts.ts';
import { loadAutomation } from '#infra/config/load-automation.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { configurationSettings } from '../../unit/docs/documents/configuration-settings.ts';
import { files, fullDocument, otherValues } from './full-document.ts';

test.each([
  [4, 2],
  [60, 3],
  [100, 4],
  [500, 20],
  [1_000_000, 1000],
])('a gateway of %d datasets a second is served by %d environments', (datasets, environments) => {
  const requestsPerSecond = { datasets, runs: 1, reads: 1 };

  expect(mappingConcurrency({ requestsPerSecond }).uploads).toBe(environments);
});

test('each environment has its share of the rate, so that all together keep to it', async () => {
  const { automation } = await loadAutomation({
    configPath: join(packageFolder, 'automation.config.ts'),
    stage: 'prod',
  });

  const parts = configParts(automation);

  expect(parts['register-datasets'].requestsPerSecond).toBe(4 / 2);
  expect(parts['update-campaign-runs'].requestsPerSecond).toBe(0.5 / 2);
  expect(parts['update-campaign-runs'].readsPerSecond).toBe(2 / 2);
  expect(parts['poll-scanner-packages'].requestsPerSecond).toBe(2);
  expect(parts['watch-projects'].requestsPerSecond).toBe(2 / 1);
  expect(parts['watch-campaigns'].requestsPerSecond).toBe(2);
  expect(parts['answer-questions'].requestsPerSecond).toBe(2);
});

test('each setting of the types has a case in full-document.ts', () => {
  const cases = Object.keys(otherValues).map((path) =>
    path
      .replaceAll(/\[\d\]/g, '[]')
      .replace(/^campaigns\.\w+/, 'campaigns.*')
      .replace(/\.runs\.\w+/, '.runs.*'),
  );

  const settings = configurationSettings().map(({ path }) => path);

  expect(settings.length).toBeGreaterThan(80);
  expect(cases.toSorted()).toEqual(settings.toSorted());
});

test('the document with every setting is taken', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const given = { isLocalStage: false, now, readText: (path: string) => files[path] ?? '' };

  expect(resolveAutomation('prod', fullDocument, given)).toMatchObject({ ok: true });
});
