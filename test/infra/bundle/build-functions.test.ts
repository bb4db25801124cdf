import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import { leftOut } from '#infra/bundle/function-plugins.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';

describe('the bundles of the functions', () => {
  let outDir: string;
  let metafile: Metafile;

  beforeAll(async () => {
    outDir = await mkdtemp(join(tmpdir(), 'autopilot-bundles-'));
    ({ metafile } = await buildFunctions({ outDir }));
  });

  afterAll(async () => rm(outDir, { recursive: true }));

  const inputsOf = (name: string) =>
    Object.entries(metafile.outputs).find(([file]) => file.endsWith(`${name}/handler.mjs`))?.[1].inputs ?? {};

  test.each(functionNames)(
    '%s imports nothing: builtins are reached without loading what they bring along',
    async (name) => {
      const code = await readFile(join(outDir, name, 'handler.mjs'), 'utf8');

      expect(code.match(/(?:^|[;}\n])\s*import\s*(?:[\w*{][^;'"]*from\s*)?["'][^"']+["']/g)).toBeNull();
      expect(code).not.toMatch(/\bimport\(["']/);
    },
  );

  test.each(functionNames)('%s carries nothing that it does not use', (name) => {
    const inputs = Object.keys(inputsOf(name));

    expect(inputs.length).toBeGreaterThan(0);
    expect(
      inputs.filter((file) => /zod\/.*\/locales\/(?!en)|aws-cdk-lib|^(?:infra|gateway|local|cli|test)\//.test(file)),
    ).toEqual([]);
  });

  test.each(leftOut)('leaves $file out of every bundle, and knows where it is', ({ file }) => {
    const found = Object.keys(metafile.inputs).filter((input) => file.test(input));
    const carried = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).filter(([input]) => file.test(input)),
    );

    expect(found, 'the package has no such file any more: mend or remove its entry in left-out-plugin.ts').not.toEqual(
      [],
    );
    for (const [input, { bytesInOutput }] of carried) expect(bytesInOutput, input).toBeLessThan(500);
  });

  test('each loads and exports its handler, without anything of its environment', async () => {
    const paths = functionNames.map((name) => pathToFileURL(join(outDir, name, 'handler.mjs')).href);

    const kinds = await evaluate(
      `(await Promise.all(${JSON.stringify(paths)}.map((path) => import(path)))).map(({ handler }) => typeof handler)`,
    );

    expect(kinds).toEqual(functionNames.map(() => 'function'));
  });

  test.each(functionNames)('%s has a source map that points into the sources', async (name) => {
    const map: { sources: string[]; sourcesContent?: unknown } = JSON.parse(
      await readFile(join(outDir, name, 'handler.mjs.map'), 'utf8'),
    );

    expect(map.sources.some((source) => source.endsWith(`functions/${name}/handler.ts`))).toBe(true);
    expect(map.sourcesContent).toBeUndefined();
  });
});

test('a CommonJS package inside a bundle finds its builtins, and an error says its name', async ({
  onTestFinished,
}) => {
  const directory = await mkdtemp(join(tmpdir(), 'autopilot-bundle-'));
  onTestFinished(async () => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'old.cjs'), `const { sep } = require('path');\nmodule.exports = { sep };\n`);
  await writeFile(
    join(directory, 'entry.ts'),
    [
      `import { createHash } from 'node:crypto';`,
      `import { old } from './bridge.ts';`,
      `class TooLateError extends Error { override readonly name = 'TooLateError'; }`,
      `export const answer = [createHash('sha256').update('x').digest('hex').length, old.sep, new TooLateError().name];`,
    ].join('\n'),
  );
  await writeFile(join(directory, 'bridge.ts'), `import old from './old.cjs';\nexport { old };\n`);

  await buildFunctions({ outDir: directory, entries: { made: join(directory, 'entry.ts') } });

  const path = pathToFileURL(join(directory, 'made', 'handler.mjs')).href;
  expect(await evaluate(`(await import(${JSON.stringify(path)})).answer`)).toEqual([64, '/', 'TooLateError']);
});

test('what is left out of a bundle says so when it is reached', async ({ onTestFinished }) => {
  const directory = await mkdtemp(join(tmpdir(), 'autopilot-bundle-'));
  onTestFinished(async () => rm(directory, { recursive: true }));
  const file = join(process.cwd(), 'node_modules/undici/lib/dispatcher/client-h2.js');
  await writeFile(join(directory, 'entry.ts'), `import connect from ${JSON.stringify(file)};\nexport { connect };\n`);

  await buildFunctions({ outDir: directory, entries: { made: join(directory, 'entry.ts') } });

  const path = pathToFileURL(join(directory, 'made', 'handler.mjs')).href;
  const said = `(() => { try { return connect(); } catch (error) { return error.message; } })()`;
  expect(await evaluate(`(({ connect }) => ${said})(await import(${JSON.stringify(path)}))`)).toBe(
    'undici/lib/dispatcher/client-h2.js is not part of the bundle: the client speaks HTTP/1.1 (allowH2: false)',
  );
});

/**
 * Evaluates an expression in a Node of its own: what the test runner's loader does to modules must
 * not count here.
 */
async function evaluate(expression: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `process.stdout.write(JSON.stringify(${expression}));`,
  ]);
  return JSON.parse(stdout);
}
