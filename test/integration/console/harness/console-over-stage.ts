import { readAssets } from '#console/assets.ts';
import { type RunningConsole, startConsole } from '#console/program/start-console.ts';
import type { WriteKind } from '#console/api.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { openStage, type OperatorDeps } from '#operator/stage/operator-deps.ts';
import type { InProcessStage } from '../../stage/harness/in-process-stage.ts';

/** The name of the stage in the console's addresses. */
export const stageName = 'local';

/** A person who looks at a stage, and starts nothing that waits. */
export const person = {
  operator: 'ann',
  interruption: () => new AbortController().signal,
  elapsedMs: () => performance.now(),
  wait: async () => {},
  unique: () => 'unique',
  progress: () => {},
};

/** What that person has of a stage of this process. Its AWS clients are made once, and each call is a look. */
export function opensStage({ stage, dataDir }: InProcessStage): () => OperatorDeps {
  const { endpoint, region } = stage.assembly;
  const open = openStage({ kind: 'local', stage: stageName, endpoint, region, folder: dataDir });
  return () => ({ ...person, ...open() });
}

/** The real console over a stage of this process, at a free port. Without `allow` it only reads. */
export async function startConsoleOver(
  stage: InProcessStage,
  allow: readonly WriteKind[] = [],
): Promise<RunningConsole> {
  return startConsole({
    stages: consoleStages([{ label: stageName, words: ['--data', stage.dataDir], open: opensStage(stage) }]),
    assets: readAssets,
    operator: person.operator,
    allow,
  });
}
