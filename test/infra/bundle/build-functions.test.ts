import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Metafile, stop } from 'esbuild';
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

  afterAll(async () => {
    await Promise.all([stop(), rm(outDir, { recursive: true })]);
  });

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
    expect(inputs.filter((file) => /zod\/.*\/locales\/(?!en)|aws-cdk-lib/.test(file))).toEqual([]);
    // A start on one machine makes it again if these folders changed.
    expect(inputs.filter((file) => !/^(?:functions|shared|node_modules)\/|^node-builtin:/.test(file))).toEqual([]);
  });

  test.each(leftOut)('leaves $files out of every bundle, and knows where they are', ({ files }) => {
    const found = Object.keys(metafile.inputs).filter((input) => files.test(input));
    const carried = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).filter(([input]) => files.test(input)),
    );

    expect(found, 'the package has no such files any more: mend or remove their entry').not.toEqual([]);
    for (const [input, { bytesInOutput }] of carried) expect(bytesInOutput, input).toBeLessThan(500);
  });

  test.each(functionNames)('%s is smaller than the bundle of a typical build', (name) => {
    const output = Object.entries(metafile.outputs).find(([file]) => file.endsWith(`${name}/handler.mjs`))?.[1];

    expect(output?.bytes).toBeLessThan(945_000); // measured November 2026: npm run bench -- --only bundles
  });

  // In a Node of its own: what the test runner's loader does to modules must not count here.
  test('each loads and exports its handler, without anything of its environment', async () => {
    const paths = functionNames.map((name) => pathToFileURL(join(outDir, name, 'handler.mjs')).href);
    const code = `for (const path of ${JSON.stringify(paths)}) console.log(typeof (await import(path)).handler);`;

    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
      env: {},
    });

    expect(stdout.trim().split('\n')).toEqual(functionNames.map(() => 'function'));
  });

  test.each(functionNames)('%s has a source map that points into the sources', async (name) => {
    const map: { sources: string[]; sourcesContent?: unknown } = JSON.parse(
      await readFile(join(outDir, name, 'handler.mjs.map'), 'utf8'),
    );

    expect(map.sources.some((source) => source.endsWith(`functions/${name}/handler.ts`))).toBe(true);
    expect(map.sourcesContent).toBeUndefined();
  });
});
