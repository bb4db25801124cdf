import { spawn, type ChildProcess } from 'node:child_process';
import { packageFolder } from '#shared/places.ts';

/** `autopilot console` as a process. */
export interface ConsoleProcess {
  readonly child: ChildProcess;
  /** The address that opens one tab. */
  readonly link: string;
}

/**
 * Starts it, and waits for the link that it prints.
 * @param words - of its command line
 * @throws Error if it ends before, with what it printed
 */
export async function startConsoleProcess(words: readonly string[]): Promise<ConsoleProcess> {
  const child = spawn(process.execPath, ['cli/autopilot.mjs', 'console', ...words], {
    cwd: packageFolder,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  const link = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const found = /http:\S+#token=\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`autopilot console ended: ${text}`)));
  });
  return { child, link };
}
