import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import type { ResolvedProjectWatch } from '#shared/config/resolve/resolved-automation.ts';
import { aConfig, anEntry, createProjectBench } from '../../functions/watch-projects/project-bench.ts';
import { validDocument } from '../../shared/config/document.ts';
import { sectionOf } from '../documents/markdown.ts';

const section = sectionOf(readFileSync(join(import.meta.dirname, '../../../../docs/watching.md'), 'utf8'), 'Projects');
const blocks = (language: string) =>
  [...section.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

let watch: ResolvedProjectWatch;

beforeAll(async () => {
  const [setting = ''] = blocks('ts');
  const { default: written }: { default: object } = await import(
    `data:text/javascript,${encodeURIComponent(`export default { ${setting} };`)}`
  );
  const result = resolveAutomation(
    'prod',
    { ...validDocument(), ...written },
    { isLocalStage: false, now: new Date() },
  );
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const [first] = result.automation.projectWatches;
  if (first === undefined) throw new Error('the example watches no project');
  watch = first;
});

test('the example of docs/watching.md is a configuration, and what it is said to tell is what it tells', async () => {
  const scanner = '019ba000-0000-7000-8000-000000000701';
  const bench = createProjectBench(watch, aConfig({ scanners: [anEntry(scanner)] }));
  bench.deploy([
    { id: '019ba000-0000-7000-8000-000000000a01', name: 'chat-web' },
    { id: '019ba000-0000-7000-8000-000000000a02', name: 'chat-mobile' },
  ]);
  await bench.tick();
  await bench.startRun('nightly', bench.now(), { campaignRunId: '019ba000-0000-7000-8000-000000000301' });
  bench.configure(aConfig({ scanners: [anEntry(scanner, { version: '2026-02' })] }));
  await bench.tick();

  const told = blocks('json').map((text): { type: string } => JSON.parse(text));

  expect(told.map(({ type }) => type)).toEqual(['ProjectChanged', 'CampaignRunNotComparable', 'EndpointsStillInUse']);
  for (const event of told) expect(bench.eventsOf(event.type)).toEqual([event]);
});
