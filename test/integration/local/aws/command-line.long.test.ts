import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLocalAws } from './start-local-aws.ts';
import type { LocalAws } from './start-local-aws.ts';

const run = promisify(execFile);
const Bucket = 'inbox-000000000000';

function hasCommandLine(): boolean {
  try {
    execFileSync('aws', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('SKIPPED: the AWS command line (aws) is not on PATH, so nothing here tries it\n');
    return false;
  }
}

describe.skipIf(!hasCommandLine())('the AWS command line, with --endpoint-url and invented credentials', () => {
  let aws: LocalAws;
  let folder: string;

  async function cli(...args: string[]): Promise<string> {
    const { stdout } = await run('aws', ['--endpoint-url', aws.door.url, '--region', 'eu-west-1', ...args], {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        AWS_ACCESS_KEY_ID: 'invented',
        AWS_SECRET_ACCESS_KEY: 'invented',
        AWS_EC2_METADATA_DISABLED: 'true',
        LC_ALL: 'C.UTF-8',
      },
    });
    return stdout;
  }

  beforeAll(async () => {
    aws = await startLocalAws();
    folder = mkdtempSync(join(tmpdir(), 'cli-'));
  });
  afterAll(async () => {
    await aws[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test('uploads, lists and downloads a key with spaces, +, % and letters beyond ASCII', async () => {
    const name = 'a b+c%20d ä🚀.csv';
    const file = join(folder, 'file.csv');
    writeFileSync(file, 'prompt,label\n');
    await cli('s3', 'cp', file, `s3://${Bucket}/datasets/${name}`, '--metadata', 'file-id=f-1');
    const object = await new S3Client(aws.developer).send(new GetObjectCommand({ Bucket, Key: `datasets/${name}` }));
    const listed = await cli('s3', 'ls', `s3://${Bucket}/datasets/`);
    const back = join(folder, 'back.csv');
    await cli('s3', 'cp', `s3://${Bucket}/datasets/${name}`, back);

    expect(await object.Body?.transformToString()).toBe('prompt,label\n');
    expect(object.Metadata).toEqual({ 'file-id': 'f-1' });
    expect(listed).toContain(name);
    expect(readFileSync(back, 'utf8')).toBe('prompt,label\n');
  });
});
