import { createInterface } from 'node:readline/promises';
import type { DeployDeps } from './deploy-deps.ts';

/** Asks one question and gives the answer without the space around it; the end of the input is no answer. */
export async function ask(question: string, { stdin, stderr }: Pick<DeployDeps, 'stdin' | 'stderr'>): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return (await Promise.race([lines.question(question), ended])).trim();
  } finally {
    lines.close();
  }
}
