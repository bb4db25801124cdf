import * as z from 'zod';
import { configQuestion } from '../shared/messages/config-question.ts';
import { askStage } from './ask-stage.ts';
import type { CommandDeps } from './deps.ts';

/** What the command needs to know of the configuration that a stage is judged by. */
const stageConfig = z.object({
  runs: z.record(z.string(), z.object({ name: z.string(), campaign: z.string() })),
});

/** See above. */
export type StageConfig = z.infer<typeof stageConfig>;

/**
 * Asks the deployed worker for its configuration, whatever the files on this machine say.
 * @throws CliError where it does not answer
 */
export async function readStageConfig(deps: Pick<CommandDeps, 'stage'>): Promise<StageConfig> {
  return askStage(configQuestion, stageConfig, deps);
}
