import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Metafile, stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import { leftOut } from '#infra/bundle/function-plugins.ts';
import { packageFolder } from '#shared/places.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';

let outDir: string;
beforeAll(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'autopilot-bundles-'));
});
afterAll(async () => {
  await Promise.all([stop(), rm(outDir, { recursive: true })]);
});

/** In a Node of its own: what the test runner's loader does to modules must not count here. */
async function evaluate(code: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env });
  return JSON.parse(stdout);
}

describe('the bundles of the functions', () => {
  let metafile: Metafile;

  beforeAll(async () => {
    metafile = await buildFunctions({ outDir });
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

  test('each loads and exports its handler, without anything of its environment', async () => {
    const paths = functionNames.map((name) => pathToFileURL(join(outDir, name, 'handler.mjs')).href);
    const kinds = `${JSON.stringify(paths)}.map(async (path) => typeof (await import(path)).handler)`;

    expect(await evaluate(`console.log(JSON.stringify(await Promise.all(${kinds})));`)).toEqual(
      functionNames.map(() => 'function'),
    );
  });

  test.each(functionNames)('%s has a source map that points into the sources', async (name) => {
    const map: { sources: string[]; sourcesContent?: unknown } = JSON.parse(
      await readFile(join(outDir, name, 'handler.mjs.map'), 'utf8'),
    );

    expect(map.sources.some((source) => source.endsWith(`functions/${name}/handler.ts`))).toBe(true);
    expect(map.sourcesContent).toBeUndefined();
  });
});

const inProject = (path: string) => JSON.stringify(join(packageFolder, path));

/** Bundles a source as the functions are bundled. */
async function bundle(name: string, ...lines: readonly string[]): Promise<void> {
  await writeFile(join(outDir, `${name}.ts`), lines.join('\n'));
  await buildFunctions({ outDir, entries: { [name]: join(outDir, `${name}.ts`) } });
}

/** Runs the body of an async function over what a bundle exports. */
async function run(name: string, body: string, environment?: Readonly<Record<string, string>>): Promise<unknown> {
  const path = pathToFileURL(join(outDir, name, 'handler.mjs')).href;
  const made = `const made = await import(${JSON.stringify(path)});`;
  return evaluate(`${made} console.log(JSON.stringify(await (async () => { ${body} })()));`, environment);
}

test('a CommonJS package inside a bundle finds its builtins, and an error says its name', async () => {
  await writeFile(join(outDir, 'old.cjs'), `const { sep } = require('path');\nmodule.exports = { sep };\n`);
  await writeFile(join(outDir, 'bridge.ts'), `import old from './old.cjs';\nexport { old };\n`);
  await bundle(
    'common',
    `import { createHash } from 'node:crypto';`,
    `import { old } from './bridge.ts';`,
    `class TooLateError extends Error { override readonly name = 'TooLateError'; }`,
    `export const answer = [createHash('sha256').update('x').digest('hex').length, old.sep, new TooLateError().name];`,
  );

  expect(await run('common', 'return made.answer;')).toEqual([64, '/', 'TooLateError']);
});

test("undici's entry inside a bundle sends requests over HTTP/1.1, and says what it lacks", async () => {
  const server = createServer((request, response) => response.end(`${request.method} ${request.url}`));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = JSON.stringify(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await bundle('http', `export { fetch, Pool } from ${inProject('node_modules/undici/index.js')};`);

  const found = await run(
    'http',
    `const pool = new made.Pool(${origin});
     const { body } = await pool.request({ path: '/pool', method: 'PATCH', body: '{}' });
     const text = await body.text();
     await pool.destroy();
     return [text, await Promise.try(() => made.fetch(${origin})).catch((error) => error.message)];`,
  );

  expect(found).toEqual(['PATCH /pool', expect.stringContaining('not in the bundle')]);
});

test('the clients of AWS inside a bundle have their credentials from the environment alone', async () => {
  const file = join(outDir, 'profiles');
  await writeFile(file, '[default]\naws_access_key_id = theirs\naws_secret_access_key = theirs\n');
  await bundle('aws', `export { createDynamoDbClient } from ${inProject('shared/aws/dynamodb-ledger.ts')};`);
  const said = `return made.createDynamoDbClient().config.credentials().catch((error) => error.message);`;
  const environment = { AWS_REGION: 'eu-west-1', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SHARED_CREDENTIALS_FILE: file };

  expect(await run('aws', said, { ...environment, AWS_ACCESS_KEY_ID: 'key' })).toMatchObject({ accessKeyId: 'key' });
  expect(await run('aws', said, environment)).toMatch(/environment variable credentials/);
});
