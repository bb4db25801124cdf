import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createEventInvocations, logTail, openFunctionLog } from '#local/lambda/function-pool.ts';

/**
 * "Lambda retries an asynchronous invocation twice if the function returns an error. It retains
 * events in a queue for up to six hours", and discards an event that stays there for too long
 * (AWS::Lambda::EventInvokeConfig, CloudFormation User Guide). The age used to be ignored here.
 */
test.each([
  ['nothing else', {}, 3],
  ['no retries', { maximumRetryAttempts: 0 }, 1],
  ['an age that the first repeat would exceed', { maximumEventAgeMs: 0 }, 1],
  ['an age that no repeat exceeds', { maximumEventAgeMs: 3_600_000 }, 3],
])('an event that always fails, with %s configured', async (_what, settings, runs) => {
  const requestIds: string[] = [];
  const events = createEventInvocations({
    invoke: async (_name, payload, requestId) => {
      requestIds.push(requestId);
      return { requestId, payload, functionError: 'Unhandled' };
    },
    waitsMs: [0, 0],
  });

  const { requestId } = events.start('worker', '{}', settings);
  await vi.waitFor(() => expect(requestIds).toHaveLength(runs), { timeout: 120_000 });
  await new Promise((resolve) => setTimeout(resolve, 20));

  expect(requestIds).toEqual(Array.from({ length: runs }, () => requestId));
});

test('a log keeps two files of its size at most', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const log = openFunctionLog(folder, 'worker', () => {}, 1000);

  for (let i = 0; i < 200; i += 1)
    log.write({ functionName: 'worker', requestId: 'r', stream: 'stdout', text: `line ${i}` });
  log.close();

  expect(readdirSync(folder).sort()).toEqual(['worker.log', 'worker.log.1']);
  const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file)).length);
  expect(Math.max(...bytes)).toBeLessThan(1100);
  expect(readFileSync(join(folder, 'worker.log'), 'utf8')).toContain('line 199');
  rmSync(folder, { recursive: true });
});

test('a line that comes after the log was closed still reaches the listener', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const heard: string[] = [];
  const log = openFunctionLog(folder, 'worker', ({ text }) => heard.push(text));

  log.close();
  log.write({ functionName: 'worker', requestId: 'r', stream: 'stdout', text: 'late' });

  expect(heard).toEqual(['late']);
  rmSync(folder, { recursive: true });
});

// Each was an exception that ended the whole stage.
test.skipIf(process.platform !== 'linux')('a log that cannot be written says so once, and throws nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const heard: string[] = [];
  symlinkSync('/dev/full', join(folder, 'worker.log'));
  const log = openFunctionLog(folder, 'worker', ({ text }) => heard.push(text));

  for (const text of ['one', 'two']) log.write({ functionName: 'worker', requestId: 'r', stream: 'stdout', text });
  log.close();

  expect(heard).toEqual([
    'one',
    expect.stringMatching(/worker\.log lacks lines from here on: the disk of .* is full/),
    'two',
  ]);
  rmSync(folder, { recursive: true });
});

test('a tail is the last 4 KB', () => {
  const tail = Buffer.from(logTail(['first', 'x'.repeat(5000), 'last']), 'base64').toString();

  expect(tail).toHaveLength(4096);
  expect(tail.endsWith('x\nlast\n')).toBe(true);
});
