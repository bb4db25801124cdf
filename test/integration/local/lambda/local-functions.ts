import { fileURLToPath } from 'node:url';

import type { LocalFunction } from '#local/lambda/local-function.ts';

/** A function whose code is the fixture. */
export function localFunction(handler: string, more: Partial<LocalFunction> = {}): LocalFunction {
  const name = handler.replace('.', '-');
  return {
    name,
    arn: `arn:aws:lambda:eu-west-1:000000000000:function:${name}`,
    codeDirectory: fileURLToPath(new URL('fixture', import.meta.url)),
    handler,
    environment: {},
    memoryMb: 128,
    timeoutMs: 10_000,
    runtime: 'nodejs24.x',
    credentials: { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'local' },
    region: 'eu-west-1',
    endpointUrl: 'http://127.0.0.1:1',
    ...more,
  };
}

/** True while the process exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
}
