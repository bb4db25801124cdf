import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import { aPackage, baselined, packages } from '../../functions/poll-scanner-packages/poll-bench.ts';
import { validDocument } from '../../shared/config/document.ts';
import { sectionOf } from '../documents/markdown.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/watching.md'), 'utf8');
const section = sectionOf(page, 'Scanner packages');
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';

let watch: ResolvedPackageWatch;

beforeAll(async () => {
  const { default: written }: { default: object } = await import(
    `data:text/javascript,${encodeURIComponent(`export default { ${block('ts')} };`)}`
  );
  const document = { ...validDocument(), ...written };
  const result = resolveAutomation('prod', document, { isLocalStage: false, now: new Date() });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const [first] = result.automation.packageWatches;
  if (first === undefined) throw new Error('the example watches nothing');
  watch = first;
});

test('the example of docs/watching.md is a configuration, and what it is said to tell is what it tells', async () => {
  const guard = '019ba000-0000-7000-8000-000000000601';
  const others = packages(182);
  const named = (availableUpdate: string) => aPackage(guard, { name: 'Prompt Injection Guard', availableUpdate });
  const added = aPackage('019ba000-0000-7000-8000-000000000699', { name: 'Injection via Tools' });
  const bench = await baselined(watch, [named(''), ...others]);

  const { summary } = await bench.poll([named('2026-02'), ...others]);
  // Within its time, by hand.
  bench.advance(-10 * 60_000);
  await bench.poll([named('2026-02'), ...others, added]);
  await bench.poll([named('2026-02'), ...others, added]);

  const { type, ...told } = JSON.parse(block('json'));
  expect(summary).toBe(block('text').trim());
  expect(type).toBe('ScannerPackagesChanged');
  expect(bench.events).toEqual([told]);
  expect(bench.commands.map(({ run }) => run)).toEqual(told.starts);
});
