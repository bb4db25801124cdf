import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { headFields, missingRows, readChangelog, releaseProblems } from '#infra/release/changelog.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';

const versions = readChangelog(readFileSync(join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8'));
const table = headFields.map((field) => `| ${field} | none |`).join('\n');

test('the changelog has its table for this version, and for the next one, so that a release renames a heading', () => {
  expect(releaseProblems(versions, productVersion)).toEqual([]);
  expect(versions[0]?.version).toBe('Unreleased');
  expect(versions.slice(0, 1).flatMap(missingRows)).toEqual([]);
});

test('a release without a row of its table is refused, and the row is named', () => {
  const text = `# Changelog\n\n## [Unreleased]\n\n## 1.1.0 (2026-12-01)\n\n${table.replace('| Steps | none |\n', '')}\n`;

  expect(releaseProblems(readChangelog(text), '1.1.0')).toEqual([
    'CHANGELOG.md, 1.1.0: the table has no row "Steps"; if there is nothing to say, say "none"',
  ]);
});

test.each([
  ['no such version', '## 1.0.0 (2026-12-01)', /no "## 1\.1\.0 \(DATE\)"/],
  ['no date', '## 1.1.0', /no date beside 1\.1\.0/],
  ['a newer version', `## 1.2.0 (2026-12-02)\n\n${table}\n\n## 1.1.0 (2026-12-01)`, /newest version .* 1\.2\.0/],
])('a release with %s in the changelog is refused', (_what, heading, says) => {
  const text = `# Changelog\n\n## [Unreleased]\n\n${heading}\n\n${table}\n`;

  expect(releaseProblems(readChangelog(text), '1.1.0')).toEqual([expect.stringMatching(says)]);
});

test('the notes of a release are its section alone', () => {
  const text = `# Changelog\n\n## [Unreleased]\n\nnew\n\n## 1.1.0 (2026-12-01)\n\n${table}\n\n### Fixed\n\n- A.\n\n## 1.0.0 (2026-11-01)\n\nold\n`;
  const notes = readChangelog(text).find(({ version }) => version === '1.1.0');

  expect(notes?.text).toBe(`${table}\n\n### Fixed\n\n- A.`);
});
