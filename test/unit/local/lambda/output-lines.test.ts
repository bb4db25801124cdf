import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { readLines } from '#local/lambda/process-output.ts';

const END = '\u0000autopilot log end ';

async function told(...chunks: Buffer[]): Promise<string[]> {
  const stream = new PassThrough();
  const events: string[] = [];
  readLines(stream, { line: (text) => events.push(text), end: (id) => events.push(`END ${id}`) });
  for (const chunk of chunks) stream.write(chunk);
  stream.destroy();
  for (let i = 0; i < 5; i += 1) await turn();
  return events;
}

test('lines are whole, however the stream was cut, also inside a letter', async () => {
  const bytes = Buffer.from('grün\r\nzwei\n');

  expect(await told(bytes.subarray(0, 3), bytes.subarray(3, 8), bytes.subarray(8))).toEqual(['grün', 'zwei']);
});

test('the end of an invocation is seen behind output that did not end its line', async () => {
  expect(await told(Buffer.from(`one\nunfinished${END}r1\nnext`))).toEqual(['one', 'unfinished', 'END r1', 'next']);
});

test('a line without an end does not fill the memory', async () => {
  const events = await told(Buffer.alloc(300_000, 'a'), Buffer.from('b\n'));

  expect(events.map(({ length }) => length)).toEqual([262_144, 1]);
});
