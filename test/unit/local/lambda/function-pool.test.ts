import { chownSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { logTail, openFunctionLog } from '#local/lambda/function-pool.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

test('a log keeps two files of its size at most', () => {
  const folder = folderOfTest();
  const log = openFunctionLog(folder, 'worker', () => {}, 1000);

  for (let i = 0; i < 200; i += 1)
    log.write({ functionName: 'worker', requestId: 'r', stream: 'stdout', text: `line ${i}` });
  log.close();

  expect(readdirSync(folder).sort()).toEqual(['worker.log', 'worker.log.1']);
  const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file)).length);
  expect(Math.max(...bytes)).toBeLessThan(1100);
  expect(readFileSync(join(folder, 'worker.log'), 'utf8')).toContain('line 199');
});

test('a line that comes after the log was closed still reaches the listener', () => {
  const folder = folderOfTest();
  const heard: string[] = [];
  const log = openFunctionLog(folder, 'worker', ({ text }) => heard.push(text));

  log.close();
  log.write({ functionName: 'worker', requestId: 'r', stream: 'stdout', text: 'late' });

  expect(heard).toEqual(['late']);
});

// Each was an exception that ended the whole stage.
test.skipIf(process.platform !== 'linux')('a log that cannot be written says so once, and throws nothing', () => {
  const folder = folderOfTest();
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
});

test.skipIf(process.geteuid?.() !== 0)(
  'a log of another user is left alone, and that is said (skipped: needs root)',
  () => {
    const path = join(folderOfTest(), 'worker.log');
    writeFileSync(path, '');
    chownSync(path, 65534, 65534);
    const heard: string[] = [];

    const log = openFunctionLog(dirname(path), 'worker', ({ text }) => heard.push(text));
    log.write({ functionName: 'worker', requestId: 'r', stream: 'stdout', text: 'a line' });
    log.close();

    expect(heard.join('\n')).toContain(`${path} belongs to the user 65534, who may`);
    expect(readFileSync(path, 'utf8')).toBe('');
  },
);

test('a tail is the last 4 KB', () => {
  const tail = Buffer.from(logTail(['first', 'x'.repeat(5000), 'last']), 'base64').toString();

  expect(tail).toHaveLength(4096);
  expect(tail.endsWith('x\nlast\n')).toBe(true);
});
