import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { configParts } from '#infra/config/config-parts.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import type { ConfigPart, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { aRunInFlight, aTarget } from '../../../builders/runs-in-flight.ts';
import { createWatchBench } from '../../functions/watch-campaigns/watch-bench.ts';
import { validDocument } from '../../shared/config/document.ts';
import { sectionOf } from '../documents/markdown.ts';

const section = sectionOf(readFileSync(join(import.meta.dirname, '../../../../docs/watching.md'), 'utf8'), 'Campaigns');
const blocks = (language: string) =>
  [...section.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
const started = 'weeknights@2026-11-20T22:00:00Z';

let config: ConfigPart<'watch-campaigns'>;
let nightly: ResolvedRun;

beforeAll(async () => {
  const [setting = ''] = blocks('ts');
  const { default: written }: { default: object } = await import(
    `data:text/javascript,${encodeURIComponent(`export default { ${setting} };`)}`
  );
  const { gateway, timezone } = validDocument();
  const result = resolveAutomation('prod', { gateway, timezone, ...written }, { isLocalStage: false, now: new Date() });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  config = configParts(result.automation)['watch-campaigns'];
  const run = result.automation.runs['nightly'];
  if (run === undefined) throw new Error('the example has no run nightly');
  nightly = run;
});

const eventOf = (type: string) =>
  blocks('json')
    .map((text) => JSON.parse(text))
    .find((event) => event.type === type);

test('a start that is not confirmed is told as docs/watching.md says, by the setting that it shows', async () => {
  const bench = createWatchBench();
  const { confirm, campaignId = '' } = nightly;
  if (confirm === undefined) throw new Error('the example confirms nothing');
  await bench.put(aTarget(aRunInFlight({ startId: started, campaignId })));

  await bench.tickFor(durationMs(confirm.within) ?? 0, { config });

  expect(bench.events).toEqual([eventOf('CampaignStartUnconfirmed')]);
});
