import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { ResolvedAssembly } from '#local/template/cloud-assembly.ts';
import { readAssembly } from '#local/template/read-assembly.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const run = promisify(execFile);
const projectRoot = new URL('../../../../', import.meta.url);
const directory = folderOfFile();
const outdir = join(directory, 'cdk.out');
const templateFile = join(outdir, 'GatewayAutopilot-local-Workers.template.json');
const assembly = await synthesized();

/** What the app synthesizes by itself, read as the runner reads it. */
async function synthesized(): Promise<ResolvedAssembly> {
  await run(process.execPath, ['infra/app.ts'], {
    cwd: projectRoot,
    env: {
      ...process.env,
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify({ buildDir: join(directory, 'build'), isKept: true }),
      CDK_VALIDATION: 'false',
    },
  });
  return readAssembly(outdir);
}

test('the next start of the same stage takes what is there as it is', async () => {
  const before = statSync(templateFile).mtimeMs;

  const again = await synthesized();

  expect(again.resources).toEqual(assembly.resources);
  expect(statSync(templateFile).mtimeMs).toBe(before);
});

// A start names each of these: on AWS it has an effect.
test('the local stage asks for these things that the runner does not do, and for no others', () => {
  expect(assembly.unsupported.toSorted()).toEqual([
    'AWS::DynamoDB::Table: DeletionProtectionEnabled, PointInTimeRecoverySpecification',
    'AWS::Lambda::Function: Architectures',
    'AWS::S3::Bucket: BucketEncryption, LifecycleConfiguration, LoggingConfiguration, OwnershipControls, PublicAccessBlockConfiguration',
    'AWS::SQS::Queue: RedriveAllowPolicy',
    'AWS::SecretsManager::ResourcePolicy: BlockPublicPolicy',
  ]);
});
