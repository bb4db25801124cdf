import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readSecret } from '#cli/terminal/read-secret.ts';

/** A stream that stands for standard input; what is shown on the terminal is kept. */
function source(isTTY: boolean) {
  const shown: string[] = [];
  const input = new PassThrough();
  const modes: boolean[] = [];
  const stdin = Object.assign(input, {
    isTTY,
    fd: 0 as const,
    isRaw: false,
    setRawMode: (mode: boolean) => (modes.push(mode), stdin),
  });
  const stderr = { write: (text: string) => (shown.push(text), true) };
  return { input, shown, modes, from: { stdin: stdin as typeof stdin & NodeJS.ReadStream, stderr } };
}

test('a keyboard: the line is taken with its corrections, and nothing of it is shown', async () => {
  const { input, shown, modes, from } = source(true);

  const reading = readSecret('token: ', from);
  input.write('canaryX\u007f-1\r');

  expect(await reading).toBe('canary-1');
  expect(shown.join('')).toBe('token: \n');
  expect(modes).toEqual([true, false]); // the terminal shows what is typed again
});

test('a keyboard: Ctrl-C does nothing but end it', async () => {
  const { input, modes, from } = source(true);

  const reading = readSecret('token: ', from);
  input.write('canary\u0003');

  await expect(reading).rejects.toThrow('nothing was done');
  expect(modes.at(-1)).toBe(false);
});

test('a pipe: all of it, without a prompt', async () => {
  const { input, shown, from } = source(false);

  const reading = readSecret('token: ', from);
  input.end('canary-1\n');

  expect(await reading).toBe('canary-1\n');
  expect(shown).toEqual([]);
});

test('a pipe: a file that is no token is refused before it is read to its end', async () => {
  const { input, from } = source(false);

  const reading = readSecret('token: ', from);
  input.write(Buffer.alloc(70_000, 'a'));

  await expect(reading).rejects.toThrow('that is no token');
});
