import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';

const run = promisify(execFile);

const document = `{
  gateway: { baseUrl: 'https://gateway.example.com' },
  timezone: 'UTC',
  campaigns: { chat: { runs: { nightly: { campaignRunIds: ['019ba000-0000-7000-8000-000000000301'], stopAfter: '8 hours' } } } },
}`;
/** It must stand in no message. */
const secret = "const token = 'canary';";

/**
 * Broken configurations by the names of their files, as people break them. Names that end in a
 * slash are folders.
 */
const files: Readonly<Record<string, string>> = {
  'a-folder.config.ts/': '',
  'array.config.ts': `export default [${document}];`,
  'certificate.config.ts': `export default { prod: { ...${document}, gateway: { ...(${document}).gateway, caBundle: './gone.pem' } } };`,
  'commonjs.config.ts': `module.exports = { prod: ${document} };`,
  'empty.config.ts': '',
  'enum.config.ts': `${secret}\nenum Word { Start }\nexport default { prod: ${document} };`,
  'forgotten-brace.config.ts': `${secret}\nexport default {\n  prod: ${document},\n`,
  'function.config.ts': `export default () => ({ prod: ${document} });`,
  'json.config.ts': '{ "prod": { "timezone": "UTC" } }',
  'many-problems.config.ts': `export default { prod: {
  gateway: { baseUrl: 'http://127.0.0.1', status: { start: 'on' } },
  timezon: 'UTC',
  campaigns: { chat: { runs: { nightly: { campaignRunIds: ['x'] } } } },
  schedules: [{ name: 'weeknights', start: 'nigthly', at: '0 22 * * 1-5' }, { name: 'once', stop: 'nightly', at: 'at(2020-01-01T00:00:00)' }],
} };`,
  'missing-comma.config.ts': `export default {\n  prod: { timezone: 'UTC' campaigns: {} },\n};`,
  'missing-import.config.ts': `import { runs } from './runs.ts';\nexport default { prod: runs };`,
  'missing-package.config.ts': `import { runs } from 'not-installed';\nexport default { prod: runs };`,
  'named-export.config.ts': `export const prod = ${document};`,
  'no-prod.config.ts': `export default { dev: ${document}, local: ${document} };`,
  'null-stage.config.ts': 'export default { prod: null };',
  'one-document.config.ts': `export default ${document};`,
  'runs/broken.ts': "\n\nthrow new Error('boom');",
  'throws-in-import.config.ts': "import './runs/broken.ts';\nexport default {};",
  'throws-in-node.config.ts': `${secret}\nexport default JSON.parse('{');`,
  'throws-text.config.ts': "throw 'boom';",
  'throws.config.ts': `${secret}\nthrow new Error('set REGION first');\nexport default {};`,
  'undefined-function.config.ts': `${secret}\nexport default defineStage({});`,
  'undefined-name.config.ts': `${secret}\nexport default { prod: documnet };`,
};

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'broken-configurations-')));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!name.endsWith('/')) await writeFile(path, text);
  }
});
afterAll(async () => rm(folder, { recursive: true }));

/**
 * Loads each file as the app does, in a Node of its own: the test runner imports files in its own
 * way, and words errors otherwise.
 */
const script = `
  import { loadAutomation } from './infra/config/load-automation.ts';
  for (const configPath of process.argv.slice(1)) {
    const said = await loadAutomation({ configPath, stage: 'prod' }).then(() => 'nothing', ({ name, message }) => name + ': ' + message);
    console.log(said + '\\n');
  }`;

test('the sentences about each broken configuration file', async () => {
  const configurations = Object.keys(files).filter((name) => name.includes('.config.'));
  const paths = [...configurations, 'not-there.config.ts'].map((name) => join(folder, name.replace(/\/$/, '')));

  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script, ...paths], {
    cwd: packageFolder,
  });

  expect(stdout).not.toContain('canary');
  await expect(stdout.replaceAll(folder, 'DIR')).toMatchFileSnapshot('files/configuration-files.txt');
});
