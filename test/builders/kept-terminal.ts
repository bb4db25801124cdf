import { join } from 'node:path';
import type { Terminal } from '#cli/command-deps.ts';

/** A terminal, or a pipe, that keeps what a command writes. No stage was started in its folder. */
export function keptTerminal(
  env: Readonly<Record<string, string>> = {},
  where: { readonly isTTY: boolean; readonly columns?: number } = { isTTY: false },
): { readonly terminal: Terminal; readonly written: { out: string; err: string } } {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') =>
    Object.assign(Object.create(process.stdout), {
      ...where,
      write: (text: string) => {
        written[name] += text;
        return true;
      },
    });
  const terminal: Terminal = {
    env,
    stdin: process.stdin,
    stdout: stream('out'),
    stderr: stream('err'),
    cwd: () => join(import.meta.dirname, 'nowhere'),
    once: () => process,
  };
  return { terminal, written };
}
