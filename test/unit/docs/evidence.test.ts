import { expect, test } from 'vitest';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { aProject, createEvidenceBench } from '../operator/evidence-bench.ts';

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

test('a start that was stopped before it began says so, and is not compared', async () => {
  const lines = [
    '| State | cancelled 22:05 by operator grace, before it began |',
    '| Began | **no** |',
    '| Planned for | 2026-11-20T22:15:01.000Z |',
    '| Ended | 2026-11-20T22:05:02.000Z |',
    '| Asked by | schedule weeknights |',
    '| Comparable | not applicable: it has not run |',
  ].join('\n');
  const bench = createEvidenceBench();
  await bench.send({ id: 'weeknights@2026-11-20T22:00:01Z', startDelay: 'PT15M' });
  bench.passMs(5 * 60_000);
  await bench.send({ id: 'stop-1', action: 'stop', origin: { kind: 'operator', name: 'grace' } });

  const { text, data } = await bench.evidence('nightly');

  expect(text).toContain(lines);
  expect([data.course, bench.asked]).toEqual([undefined, []]);
});
