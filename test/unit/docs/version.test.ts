import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';

const read = (path: string) => readFileSync(join(packageFolder, path), 'utf8');

/** Texts about the version that they lie beside: a decision tells of its own day, and docs/releasing.md of the first release. */
const texts = globSync(
  ['*.md', 'docs/**/*.md', 'examples/own-cdk-app/*', 'create/template/*', 'infra/package/README.md'],
  { cwd: packageFolder },
).filter((path) => !/^docs\/(?:adr\/|releasing\.md$)/.test(path));

/** Versions of the product that a text names, as an archive, a pinned package or a tag. */
function versionsIn(text: string): readonly string[] {
  return [...text.matchAll(/gateway-autopilot(?:-|@|": ")(\d+\.\d+\.\d+)/g)].map(([, version = '']) => version);
}

// docs/releasing.md sends people here.
const places = ['README.md', 'examples/own-cdk-app/README.md', 'examples/own-cdk-app/package.json'];

test('the texts that name the version of the product name that of package.json', () => {
  const named = texts.flatMap((path) => versionsIn(read(path)).map((version) => ({ path, version })));

  expect(named.filter(({ version }) => version !== productVersion)).toEqual([]);
  expect([...new Set(named.map(({ path }) => path))].toSorted()).toEqual(places);
});

test('so does the lock file', () => {
  const { version, packages } = JSON.parse(read('package-lock.json'));

  expect([version, packages[''].version]).toEqual([productVersion, productVersion]);
});
