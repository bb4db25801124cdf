import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evidencePage } from '#console/html-file.ts';
import { evidenceDocument } from '#operator/evidence/document/evidence-document.ts';
import { createEvidenceBench } from '../../operator/evidence-bench.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

/** Markup, a table's end, links and images as Markdown has them, and marks that turn the direction round. */
const hostile =
  '<img src=x onerror=alert(1)> | ![x](http://evil.example/p) [y](javascript:alert(1)) <!-- http://evil.example \u202egnp.';

async function aNight() {
  const bench = createEvidenceBench();
  await bench.send({ id: 'start-1', reason: hostile, origin: { kind: 'operator', name: hostile } });
  await bench.send({ id: 'stop-1', action: 'stop' });
  return bench;
}

test('evidence as HTML has the headings and tables of the document, runs nothing and fetches nothing', async () => {
  const bench = await aNight();
  const lines = evidenceDocument((await bench.evidence('nightly')).data);

  const page = await evidencePage(lines);

  const headings = lines.filter((line) => line.startsWith('## ')).map((line) => `<h2>${line.slice(3)}</h2>`);
  expect(headings.filter((heading) => !page.includes(heading))).toEqual([]);
  expect(headings.length).toBeGreaterThan(3);
  expect(page.match(/<table>/g)?.length).toBeGreaterThan(2);
  expect(page).not.toMatch(/<script|<link|<img|<iframe|<a\b|\son\w+="|(?:src|href)="|@import|url\(h/i);
  expect(page).toMatch(/&lt;img src=x onerror=alert\(1\)&gt; (?:\||&#124;) !\[x\]\(http:\/\/evil\.example\/p\) \[y\]/);
  expect(page).not.toContain('\u202e');
});

test('evidence writes HTML into a file that ends so, and Markdown into every other', async () => {
  const bench = await aNight();
  const folder = folderOfTest();
  const files = ['night.html', 'night.HTM', 'night.md'].map((name) => join(folder, name));

  for (const file of files) await bench.evidence('nightly', '--out', file);
  const begins = files.map((file) => readFileSync(file, 'utf8').slice(0, 15));

  expect(begins).toEqual(['<!doctype html>', '<!doctype html>', '# Evidence: sta']);
});

test('evidence is not written into a file whose name says that it is something else', async () => {
  const bench = await aNight();

  // x.pdf held Markdown, and no reader opened it.
  await expect(bench.evidence('nightly', '--out', 'x.pdf')).rejects.toThrow('x.pdf would hold Markdown');
  // A file of that name was written.
  await expect(bench.evidence('nightly', '--out', '-')).rejects.toThrow('--out: - names no file: without --out');
});
