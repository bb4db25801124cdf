import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { projectRoot } from '../bundle/build-functions.ts';
import type { DeployDeps, Tool } from './deploy-deps.ts';

/** How a program ended. */
export interface ToolResult {
  readonly exitCode: number;
  /** What it said on both channels, without colours; the end of it where it said much. */
  readonly said: string;
}

/** More than the longest explanation of a failure. */
const keptCharacters = 100_000;

/** Runs a program in the project, hands on what it says while it says it, and remembers it. It gets no input: nothing is asked twice. */
export async function runTool(
  [program, ...words]: Tool,
  args: readonly string[],
  deps: Pick<DeployDeps, 'stdout' | 'stderr'> & { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<ToolResult> {
  const { stdout, stderr, env } = deps;
  const child = spawn(program, [...words, ...args], {
    cwd: projectRoot,
    // Behind a pipe it would print no colours.
    env: { ...env, ...(stderr.isTTY === true ? { FORCE_COLOR: '1' } : {}) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const hear = (source: NodeJS.ReadableStream, target: NodeJS.WritableStream) => {
    source.setEncoding('utf8');
    source.on('data', (text: string) => {
      target.write(text);
      said = (said + text).slice(-keptCharacters);
    });
  };
  hear(child.stdout, stdout);
  hear(child.stderr, stderr);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${program} cannot be run: ${error.message}`, { cause: error })));
    // A program that a signal ended has no code of its own.
    child.once('close', (code) => resolve({ exitCode: code ?? 1, said: stripVTControlCharacters(said) }));
  });
}
