import { readStatus, type SuppliesPart } from '../status/stage-status.ts';
import type { StageStatus } from '../status/status.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { headlineOf } from './headline.ts';
import { needsOf } from './needs.ts';

/**
 * Reads a stage as `status` tells it, with what needs attention and the headline.
 * @param suppliesPart - reads the part that asks a function of the stage; without it, a stage that does not answer has no ids
 */
export async function readStageStatus(deps: OperatorDeps, suppliesPart?: SuppliesPart): Promise<StageStatus> {
  const status = await readStatus(deps, suppliesPart);
  const needs = needsOf(status);
  return { ...status, needs, headline: headlineOf(status, needs) };
}
