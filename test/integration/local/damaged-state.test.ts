import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openObjectStore } from '#local/aws/s3/object-store.ts';
import { openSecretStore } from '#local/aws/services/secrets-service.ts';
import { openQueues } from '#local/aws/sqs/queues.ts';
import { openMovableClock } from '#local/clock/movable-clock.ts';
import { readScheduleState } from '#local/schedules/local-schedule.ts';
import { openGateway } from '#local/stage/local-gateway.ts';
import { readStartOptions } from '#local/stage/start-options.ts';
import { StartProblem } from '#local/state/start-problem.ts';
import { folderOfTest } from '../../builders/test-folder.ts';
/**
 * Files of the state that another hand changed, or a full disk cut off: each ended the start with a
 * stack trace.
 */
let dataDir: string;
beforeEach(() => {
  dataDir = folderOfTest();
});

const gateway = async () => {
  const options = readStartOptions(['--data', dataDir, '--gateway-port', '0'], '/');
  if (typeof options === 'string') throw new Error('help was not asked for');
  return openGateway(options);
};

test.each<readonly [file: string, open: () => unknown]>([
  ['clock.json', () => openMovableClock(join(dataDir, 'clock.json'))],
  ['schedules.json', () => readScheduleState(join(dataDir, 'schedules.json'))],
  ['secrets.json', () => openSecretStore(dataDir)],
  ['queues.db', () => openQueues(new Map(), dataDir, Date.now)],
  ['objects.db', () => openObjectStore(dataDir, Date.now)],
  ['gateway.sqlite', gateway],
  ['gateway-token', gateway],
])('%s that is damaged is named in one sentence, which quotes nothing of it', async (file, open) => {
  const path = join(dataDir, file);
  writeFileSync(path, 'canary of a secret\n');

  const opened = (async () => open())();

  await expect(opened).rejects.toThrow(StartProblem);
  await expect(opened).rejects.toThrow(/^\S+ is damaged \(.*\): put back a copy of it, or start empty with --fresh$/);
  await expect(opened).rejects.not.toThrow('canary');
});

test('tables that are damaged are named in one sentence, in a process that ends', () => {
  // dynalite throws outside of any promise, which ends a process.
  mkdirSync(join(dataDir, 'dynamodb'));
  writeFileSync(join(dataDir, 'dynamodb', 'CURRENT'), 'damaged\n');
  const script = `
    const { openDynamoDb } = await import('#local/aws/dynamodb/tables.ts');
    await openDynamoDb(process.argv[1], new Map()).catch((error) => process.stdout.write(error.name + ': ' + error.message));`;

  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    encoding: 'utf8',
  });

  expect(stdout).toContain(`StartProblem: ${join(dataDir, 'dynamodb')} is damaged (`);
  expect(status).toBe(0);
});
