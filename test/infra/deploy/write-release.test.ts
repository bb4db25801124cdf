import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeRelease } from '#infra/deploy/write-release.ts';
import { synthStage } from '#infra/deploy/run-command.ts';
import { readCloudAssembly } from '#local/template/cloud-assembly.ts';
import { packageFolder } from '#shared/places.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { startLocalAws } from '../../integration/local/aws/start-local-aws.ts';
import { withDocument } from '../stacks/stage-with.ts';
import { withStage } from '../template.ts';
import { runWith } from './fake-terminal.ts';

const run = promisify(execFile);
// The bucket of the small template that the local AWS runs.
const assets = { bucket: 'inbox-000000000000', prefix: 'team/autopilot/' };

let folder: Awaited<ReturnType<typeof mkdtempDisposable>>;
let lines: readonly string[];
let keys: readonly string[];

beforeAll(async () => {
  folder = await mkdtempDisposable(join(tmpdir(), 'autopilot release '));
  await withDocument({ deployment: { assets } }, 'prod', async (configuration) =>
    withStage(configuration, (app) => {
      const from = { assembly: app.synth().directory, stage: 'prod' };
      // The run on one machine finds the same archives by the same keys.
      keys = [...readCloudAssembly(from.assembly).assets.keys()];
      lines = writeRelease(from, join(folder.path, 'out'), assets);
      writeRelease(from, join(folder.path, 'again'), assets);
    }),
  );
});
afterAll(async () => folder.remove());

test('the two lines put and deploy a stage without the bootstrap of the CDK', async () => {
  await using aws = await startLocalAws();
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, 'fixture', 'aws.mjs')}" "$@"\n`;
  await writeFile(join(folder.path, 'aws'), shim, { mode: 0o755 });

  const { accessKeyId, secretAccessKey } = aws.developer.credentials;
  const { stdout } = await run('bash', ['-ec', lines.join('\n')], {
    cwd: packageFolder,
    env: {
      PATH: `${folder.path}:${process.env['PATH']}`,
      AWS_ENDPOINT_URL: aws.door.url,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
  });

  expect(lines).toHaveLength(2);
  expect(stdout).toBe(
    `GatewayAutopilot-prod-State 0 CAPABILITY_NAMED_IAM\nGatewayAutopilot-prod-Workers ${functionNames.length} CAPABILITY_NAMED_IAM\n`,
  );
});

test('a release is the same bytes each time, listed by their SHA-256', async () => {
  const [first, second] = [join(folder.path, 'out'), join(folder.path, 'again')];
  const listed = await readFile(join(first, 'SHA256SUMS'), 'utf8');
  const archives = await readdir(join(first, 'assets'));

  expect(await readFile(join(second, 'SHA256SUMS'), 'utf8')).toBe(listed);
  for (const line of listed.trimEnd().split('\n')) {
    const [digest, name = ''] = line.split('  ');
    const bytes = await readFile(join(first, name));
    expect(createHash('sha256').update(bytes).digest('hex'), name).toBe(digest);
  }
  expect(archives).toHaveLength(functionNames.length);
  for (const name of archives) {
    expect(keys).toContain(`${assets.prefix}${name}`);
    expect(Object.keys(unzipSync(await readFile(join(first, 'assets', name))))).toContain('handler.mjs');
  }
});

describe('synth --out', () => {
  test('refuses a stage that names no bucket, and says what to write', async () => {
    const { refusal, calls } = await runWith(synthStage, '--stage prod --out /tmp/not-there');

    expect(refusal).toContain("deployment.assets: { bucket: 'NAME', prefix: 'gateway-autopilot/' }");
    expect(calls).toEqual([]);
  });

  test('refuses a folder that holds files', async () => {
    const { refusal } = await runWith(synthStage, `--stage prod --out ${tmpdir()}`);

    expect(refusal).toContain('is not empty; name a new folder');
  });
});
