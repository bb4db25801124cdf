import { expect, onTestFinished, test, vi } from 'vitest';
import { writeLine } from '#functions/_handler/output.ts';

/** The process's own stream; nothing to hand in instead. */
function capture(): string[] {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  return written;
}

test('a line is written at once', () => {
  const written = capture();

  writeLine('one');

  expect(written).toEqual(['one\n']);
});

test('a standard output that breaks does not end the process', () => {
  capture();
  writeLine('one');

  expect(() => process.stdout.emit('error', new Error('EPIPE'))).not.toThrow();
});
