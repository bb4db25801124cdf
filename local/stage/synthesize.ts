import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { StartProblem } from '../state/start-problem.ts';
import { programWords } from '#shared/places.ts';

/** What to synthesize, and where to. */
export interface Synthesis {
  readonly configPath: string;
  readonly stage: string;
  /** Takes the place of the configured one. */
  readonly gatewayBaseUrl: string;
  /** The address was named on the command line. @default it is the embedded gateway's */
  readonly isGatewayNamed?: boolean;
  /** Bundles and assets go below it. */
  readonly dataDir: string;
}

/**
 * Runs the CDK app, in a process of its own: the app is what `cdk deploy` runs, and its library is gone from memory afterwards.
 * @returns the folder of the cloud assembly
 * @throws StartProblem with the app's own words, such as every problem of the configuration
 */
export async function synthesize({ configPath, dataDir, ...context }: Synthesis): Promise<string> {
  const outDir = join(dataDir, 'cdk.out');
  const child = spawn(process.execPath, programWords('infra/app'), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CDK_OUTDIR: outDir,
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify({
        config: configPath,
        ...context,
        stateFolder: resolve(dataDir),
        buildDir: join(dataDir, 'build'),
        isKept: true,
      }),
    },
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const [code] = (await once(child, 'close')) as [number | null];
  const text = said.join('').trim();
  if (code !== 0)
    throw new StartProblem(text === '' ? `the CDK app ended with ${String(code)} and no word` : text, {
      exitCode: code ?? 1,
    });
  if (text !== '') createTerminalWriter(process.stderr).writeLines(text.split('\n'));
  return outDir;
}
