import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { operations } from '#gateway/operations.ts';
import { seedIds } from '#gateway/seed-ids.ts';
import { runningGateway, token } from './running-gateway.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const run = promisify(execFile);
const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');

/** Offline and without telemetry: only the embedded gateway is called. */
function redoclyWith(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  return run(process.execPath, [redocly, ...args], { cwd: root, env });
}

test('docs/openapi.yaml passes the linter', async () => {
  const { stderr } = await redoclyWith(['lint', 'docs/openapi.yaml']);

  expect(stderr).toContain('Your API description is valid');
  expect(stderr).not.toMatch(/warning/iu);
});

test('the live gateway answers every operation as docs/openapi.yaml says', async () => {
  const gateway = await runningGateway();
  const { stdout, stderr } = await redoclyWith([
    'respect',
    'test/contract/gateway/gateway.arazzo.yaml',
    `--server=gateway=${gateway.url}`,
    `--input=token=${token}`,
    `--input=campaignId=${seedIds.campaigns.chatBotNightly}`,
    `--input=campaignRunId=${seedIds.campaignRuns.nightly[0]}`,
  ]);
  await gateway.close();

  expect(stdout + stderr).toMatch(/Workflows: 2 passed, 2 total/u);
});

test('the document and the router name the same operations', async () => {
  const document = await readFile(join(root, 'docs/openapi.yaml'), 'utf8');
  const documented = [...document.matchAll(/operationId: (?<name>\w+)/gu)].map((match) => match.groups?.name);
  const paths = [...document.matchAll(/^ {2}(?<path>\/backend\S+):$/gmu)].map((match) => match.groups?.path);

  expect(new Set(documented)).toEqual(new Set(Object.keys(operations)));
  expect(new Set(paths)).toEqual(
    new Set(Object.values(operations).map(({ path }) => path.replaceAll(/:(?<name>\w+)/gu, '{$<name>}'))),
  );
});
