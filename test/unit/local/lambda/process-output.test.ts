import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import type { FunctionLogLine } from '#local/lambda/local-function.ts';
import { watchOutput } from '#local/lambda/process/process-output.ts';

const END = '\u0000autopilot log end ';

test('the output of an invocation is complete when both streams have said so, and not before', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const lines: FunctionLogLine[] = [];
  const output = watchOutput({ stdout, stderr }, 'worker', (line) => lines.push(line));
  output.belongsTo('r1');
  let complete = false;
  const waiting = output.complete('r1').then(() => (complete = true));

  stdout.write(`one\n${END}r1\n`);
  await turn();
  expect(complete).toBe(false);

  stderr.write(`two\n${END}r1\n`);
  await waiting;
  expect(lines.map(({ stream, requestId, text }) => [stream, requestId, text])).toEqual([
    ['stdout', 'r1', 'one'],
    ['stderr', 'r1', 'two'],
  ]);
});
