import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority } from '#local/aws/iam/authority.ts';
import { asObject, asText, type ResolvedAssembly, resourcesOfType } from '#local/template/assembly.ts';
import { readAssembly } from '#local/template/read-assembly.ts';
import { developerKey } from '../../../builders/developer-key.ts';

const run = promisify(execFile);
const projectRoot = new URL('../../../../', import.meta.url);
let directory: string;
let assembly: ResolvedAssembly;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stage-'));
  assembly = await synthesized();
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const outdir = (): string => join(directory, 'cdk.out');
const templateFile = (): string => join(outdir(), 'GatewayAutopilot-local-Workers.template.json');

/** What the app synthesizes by itself, read as the runner reads it. */
async function synthesized(): Promise<ResolvedAssembly> {
  await run(process.execPath, ['infra/app.ts'], {
    cwd: projectRoot,
    env: {
      ...process.env,
      CDK_OUTDIR: outdir(),
      CDK_CONTEXT_JSON: JSON.stringify({ buildDir: join(directory, 'build'), isKept: true }),
      CDK_VALIDATION: 'false',
    },
  });
  return readAssembly(outdir());
}

test('the next start of the same stage takes what is there as it is', async () => {
  const before = statSync(templateFile()).mtimeMs;

  const again = await synthesized();

  expect(again.resources).toEqual(assembly.resources);
  expect(statSync(templateFile()).mtimeMs).toBe(before);
});

describe('the local stage, as CDK synthesizes it', () => {
  // A start names each of these: on AWS it has an effect.
  test('asks for these things that the runner does not do, and for no others', () => {
    expect(assembly.unsupported.toSorted()).toEqual([
      'AWS::DynamoDB::Table: DeletionProtectionEnabled, PointInTimeRecoverySpecification',
      'AWS::Lambda::Function: Architectures',
      'AWS::S3::Bucket: BucketEncryption, LifecycleConfiguration, LoggingConfiguration, OwnershipControls, PublicAccessBlockConfiguration',
      'AWS::SQS::Queue: RedriveAllowPolicy',
      'AWS::SecretsManager::ResourcePolicy: BlockPublicPolicy',
    ]);
  });

  test('holds no policy that the runner cannot evaluate', () => {
    const authority = createAuthority(assembly, developerKey);

    const roles = resourcesOfType(assembly, 'AWS::Lambda::Function').map(({ properties }) =>
      asText(properties['Role']),
    );
    expect(roles.length).toBeGreaterThan(0);
    for (const role of roles) expect(authority.canAssume(role ?? '', 'lambda.amazonaws.com')).toBe(true);
  });

  test('has the bundle of every function on disk', () => {
    for (const { properties } of resourcesOfType(assembly, 'AWS::Lambda::Function')) {
      const key = asText(asObject(properties['Code'])['S3Key']) ?? '';
      expect({ key, isThere: existsSync(assembly.assetPath(key)) }).toEqual({ key, isThere: true });
    }
  });

  test('gives functions queue addresses of this machine', () => {
    const variables = resourcesOfType(assembly, 'AWS::Lambda::Function').flatMap(({ properties }) =>
      Object.entries(asObject(asObject(properties['Environment'])['Variables'])),
    );
    const urls = variables.filter(([name]) => name.endsWith('_QUEUE_URL')).map(([, url]) => asText(url));

    expect(urls.length).toBeGreaterThan(0);
    for (const url of urls) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4566\/000000000000\//);
  });
});
