import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Metafile, stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import { leftOut } from '#infra/bundle/function-plugins.ts';
import { packageFolder } from '#shared/places.ts';
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

/** What a client of HTTP/1.1 may use of undici's entry, against a gateway, and what it may not. */
test("undici's entry inside a bundle sends requests, by a proxy too, and says what it lacks", async ({
  onTestFinished,
}) => {
  const directory = await mkdtemp(join(tmpdir(), 'autopilot-bundle-'));
  onTestFinished(async () => rm(directory, { recursive: true }));
  const server = createServer((request, response) => response.end(`${request.method} ${request.url}`));
  server.on('connect', (_request, socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    server.emit('connection', socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeFile(
    join(directory, 'entry.ts'),
    [
      `import { EnvHttpProxyAgent, fetch, Pool, ProxyAgent, request } from ${JSON.stringify(join(packageFolder, 'node_modules/undici/index.js'))};`,
      `export async function answers(origin) {`,
      `  const text = async ({ body }) => body.text();`,
      `  const pool = new Pool(origin);`,
      `  const proxies = [new ProxyAgent({ uri: origin, proxyTunnel: true }), new EnvHttpProxyAgent({ httpProxy: origin, proxyTunnel: true })];`,
      `  const [proxied, byEnvironment] = await Promise.all(proxies.map(async (dispatcher) => text(await request(\`\${origin}/proxied\`, { dispatcher }))));`,
      `  const found = [await text(await pool.request({ path: '/pool', method: 'PATCH', body: '{}' })), await text(await request(\`\${origin}/request\`)), proxied, byEnvironment];`,
      `  await Promise.all([pool, ...proxies].map((dispatcher) => dispatcher.destroy()));`,
      `  return [...found, await Promise.try(() => fetch(origin)).catch((error) => error.message)];`,
      `}`,
    ].join('\n'),
  );
  await buildFunctions({ outDir: directory, entries: { made: join(directory, 'entry.ts') } });

  const path = pathToFileURL(join(directory, 'made', 'handler.mjs')).href;
  expect(await evaluate(`await (await import(${JSON.stringify(path)})).answers(${JSON.stringify(origin)})`)).toEqual([
    'PATCH /pool',
    'GET /request',
    'GET /proxied',
    'GET /proxied',
    expect.stringContaining('not in the bundle'),
  ]);
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
