import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { aProject, createEvidenceBench } from '../operator/evidence-bench.ts';
import { sectionOf } from './documents/markdown.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'evidence.md'), 'utf8');

test('the example is the document of a night in which a scanner was changed, to the letter', async () => {
  const bench = createEvidenceBench();
  await bench.send({ id: 'weeknights@2026-11-20T22:00:01Z' });
  bench.passMs(2 * 3_600_000);
  bench.configureProject(aProject('2026-02'));
  bench.passMs(6 * 3_600_000);
  await bench.send({ id: 'by-morning', action: 'stop', origin: { kind: 'schedule', name: 'by-morning' } });

  const { text } = await bench.evidence('nightly');

  const document = `${text.trimEnd().replaceAll(productVersion, '1.2.3')}\n`;
  await expect(document).toMatchFileSnapshot('../../../docs/examples/evidence.md');
});

test('a start that was stopped before it began reads as the page says', async () => {
  const [, lines = ''] = /```text\n([\s\S]*?)```/.exec(sectionOf(page, 'Stopped before it began')) ?? [];
  const bench = createEvidenceBench();
  await bench.send({ id: 'weeknights@2026-11-20T22:00:01Z', startDelay: 'PT15M' });
  bench.passMs(5 * 60_000);
  await bench.send({ id: 'stop-1', action: 'stop', origin: { kind: 'operator', name: 'grace' } });

  const { text, data } = await bench.evidence('nightly');

  expect(lines).not.toBe('');
  expect(text).toContain(lines);
  expect([data.course, bench.asked]).toEqual([undefined, []]);
});
