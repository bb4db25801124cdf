import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readComments } from '../../house/read-comments.ts';
import { projectPaths, readProject } from '../architecture/read-project.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let paths: string[];
let records: Set<number>;

beforeAll(async () => {
  paths = await projectPaths(root);
  records = new Set(paths.flatMap((path) => /^docs\/adr\/(\d{4})-/.exec(path)?.[1] ?? []).map(Number));
});

/** Each decision record and document that a text names and the project does not have. */
function deadCitations(text: string): string[] {
  const adrs = [...text.matchAll(/\bADRs? (\d+)/g)].filter(([, number]) => !records.has(Number(number)));
  const documents = [...text.matchAll(/(?<![\w*<{/.-])(?:[\w.-]+\/)*[\w-]+\.md\b/g)].filter(
    ([path]) => !path.startsWith('node_modules/') && !paths.some((known) => known === path || basename(known) === path),
  );
  return [...adrs, ...documents].map(([citation]) => citation);
}

test('comments cite only documents and decision records that are there', async () => {
  const dead = [...(await readProject(root))].flatMap(([path, source]) =>
    readComments(source).flatMap(({ line, text }) =>
      deadCitations(text.join(' ')).map((citation) => `${path}:${line} ${citation}`),
    ),
  );

  expect(dead).toEqual([]);
});

test('the changelog links only to what is there', async () => {
  const text = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) => target);
  const dead = targets.filter((target) => !target.startsWith('http') && !paths.includes(target));

  expect(dead).toEqual([]);
});
