import { join } from 'node:path';
import { type RunningGateway, startGateway } from '../../../gateway/server.ts';
import { type MovableClock, openMovableClock } from '../../../local/clock/movable-clock.ts';
import type { Authority } from '../../../local/iam/authority.ts';
import { freePort } from '../../../local/stage/ports.ts';
import { type RunningStage, runStage } from '../../../local/stage/run-stage.ts';
import { synthesize } from '../../../local/stage/synthesize.ts';
import type { ResolvedAssembly } from '../../../local/template/assembly.ts';
import { type AwsCaller, createAwsCaller } from './aws-caller.ts';
import { temporaryFolder } from './stage-process.ts';

/** A stage in this process (its functions in their own), beside a gateway of its own: for tests that reach into it. */
export interface InProcessStage {
  readonly stage: RunningStage;
  readonly gateway: RunningGateway;
  readonly aws: AwsCaller;
  readonly clock: MovableClock;
  readonly close: () => Promise<void>;
}

/** Synthesizes a configuration and runs it at free ports, in a folder that goes with it. */
export async function openInProcessStage(options: {
  readonly stageName: 'local' | 'chaos';
  /** Writes a configuration into the folder and gives its path. @default the project's own */
  readonly configIn?: (folder: string) => string;
  readonly authorityFor?: (assembly: ResolvedAssembly) => Authority;
  readonly onLine?: (line: string) => void;
}): Promise<InProcessStage> {
  const folder = temporaryFolder();
  const dataDir = folder.path;
  const gateway = await startGateway({ port: 0, database: ':memory:', tokens: ['token'] });
  const clockFile = join(dataDir, 'clock.json');
  const clock = openMovableClock(clockFile);
  const configPath = options.configIn?.(dataDir) ?? join(process.cwd(), 'automation.config.ts');
  const stage = await runStage({
    assemblyDir: await synthesize({ configPath, stage: options.stageName, gatewayBaseUrl: gateway.url, dataDir }),
    dataDir,
    port: await freePort(0, '--port'),
    clock,
    clockFile,
    token: 'token',
    onFunctionLog: ({ text }) => options.onLine?.(text),
    log: () => {},
    ...(options.authorityFor === undefined ? {} : { authorityFor: options.authorityFor }),
  });
  const aws = createAwsCaller(stage);
  return {
    stage,
    gateway,
    aws,
    clock,
    async close() {
      aws.close();
      await stage.close();
      await gateway.close();
      folder.remove();
    },
  };
}
