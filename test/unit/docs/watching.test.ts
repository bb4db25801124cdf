/** The examples of docs/watching.md are configurations, and what they are said to tell is what they tell. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configParts } from '#infra/config/config-parts.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { aRunInFlight, targetRow } from '../../builders/run-rows.ts';
import { aPackage, baselined, packages } from '../functions/poll-scanner-packages/poll-bench.ts';
import { createWatchBench } from '../functions/watch-campaigns/watch-bench.ts';
import { aConfig, anEntry, createProjectBench } from '../functions/watch-projects/project-bench.ts';
import { validDocument } from '../shared/config/document.ts';
import { blocksOf, sectionOf, settingsIn } from './documents/markdown.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/watching.md'), 'utf8');

/** The configuration of a section, and the events that it shows. */
async function exampleOf(heading: string, more: object = {}) {
  const section = sectionOf(page, heading);
  const document = { ...validDocument(), ...more, ...(await settingsIn(section)) };
  const result = resolveAutomation('prod', document, { isLocalStage: false, now: new Date() });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const told = blocksOf(section, 'json').map((text): { type: string; starts?: string[] } => JSON.parse(text));
  return { automation: result.automation, section, told };
}

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the example lacks it');
  return value;
}

test('campaigns: a start that is not confirmed is told by the setting of the page', async () => {
  const alone = { schedules: [], scannerPackages: [], projects: [], datasets: [] };
  const { automation, told } = await exampleOf('Campaigns', alone);
  const bench = createWatchBench();
  const { confirm, campaignId = '' } = given(automation.runs['nightly']);
  const inFlight = aRunInFlight({ startId: 'weeknights@2026-11-20T22:00:00Z', campaignId });
  await bench.put(targetRow(inFlight));

  const config = configParts(automation)['watch-campaigns'];
  await bench.tickFor(given(durationMs(given(confirm).within)), { config });

  expect(bench.events).toEqual([told.find(({ type }) => type === 'CampaignStartUnconfirmed')]);
});

test('scanner packages: two changes are told at once, and start what the rule says', async () => {
  const { automation, section, told } = await exampleOf('Scanner packages');
  const guard = '019ba000-0000-7000-8000-000000000601';
  const others = packages(182);
  const named = (availableUpdate: string) => aPackage(guard, { name: 'Prompt Injection Guard', availableUpdate });
  const added = aPackage('019ba000-0000-7000-8000-000000000699', { name: 'Injection via Tools' });
  const bench = await baselined(given(automation.packageWatches[0]), [named(''), ...others]);

  const { summary } = await bench.poll([named('2026-02'), ...others]);
  // Within its time, by hand.
  bench.advance(-10 * 60_000);
  await bench.poll([named('2026-02'), ...others, added]);
  await bench.poll([named('2026-02'), ...others, added]);

  const [{ type, ...event } = { type: '' }] = told;
  expect(summary).toBe(blocksOf(section, 'text')[0]?.trim());
  expect(type).toBe('ScannerPackagesChanged');
  expect(bench.events).toEqual([event]);
  expect(bench.commands.map(({ run }) => run)).toEqual(event.starts);
});

test('projects: a changed configuration, the run that it makes incomparable, and endpoints in use are told', async () => {
  const { automation, told } = await exampleOf('Projects');
  const scanner = '019ba000-0000-7000-8000-000000000701';
  const bench = createProjectBench(given(automation.projectWatches[0]), aConfig({ scanners: [anEntry(scanner)] }));
  bench.deploy([
    { id: '019ba000-0000-7000-8000-000000000a01', name: 'chat-web' },
    { id: '019ba000-0000-7000-8000-000000000a02', name: 'chat-mobile' },
  ]);
  await bench.tick();
  await bench.startRun('nightly', bench.now(), { campaignRunId: '019ba000-0000-7000-8000-000000000301' });
  bench.configure(aConfig({ scanners: [anEntry(scanner, { version: '2026-02' })] }));
  await bench.tick();

  expect(told.map(({ type }) => type)).toEqual(['ProjectChanged', 'CampaignRunNotComparable', 'EndpointsStillInUse']);
  for (const event of told) expect(bench.eventsOf(event.type)).toEqual([event]);
});
