import type { DeployedMapping } from '#shared/aws/lambda-function.ts';
import { type Finding, makeAgain } from './finding.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import type { DeployedFunction, DeployedMappingId } from './stage-parts.ts';

/** Looks at what feeds each function from its queues. One line where all are as deployed. */
export async function mappingFindings(
  functions: readonly DeployedFunction[],
  { stage }: Pick<OperatorDeps, 'stage'>,
): Promise<readonly Finding[]> {
  const all = functions.flatMap(({ name, mappings }) => mappings.map((mapping) => ({ name, mapping })));
  const found = await Promise.all(
    all.map(async ({ name, mapping }) => mappingFinding(name, mapping, await stage.mapping(mapping.uuid))),
  );
  const wrong = found.filter((finding) => finding !== undefined);
  if (wrong.length > 0) return wrong;
  return [{ subject: 'mappings', state: 'ok', says: `all ${all.length} take from their queues` }];
}

function mappingFinding(
  name: string,
  { uuid, queue }: DeployedMappingId,
  mapping: DeployedMapping | undefined,
): Finding | undefined {
  const subject = `mapping of ${name}`;
  const waits = `nothing is taken from the queue ${queue}`;
  if (mapping === undefined) {
    return {
      subject,
      state: 'problem',
      says: `${waits}: its mapping was deleted`,
      next: `the queue keeps its messages; ${makeAgain}`,
    };
  }
  const { state, lastResult = '' } = mapping;
  if (state.startsWith('Disabl')) {
    return {
      subject,
      state: 'problem',
      says: `${waits}: its mapping is disabled`,
      next: `aws lambda update-event-source-mapping --uuid ${uuid} --enabled`,
    };
  }
  if (state !== 'Enabled') {
    return {
      subject,
      state: 'warning',
      says: `its mapping from ${queue} is ${state.toLowerCase()}`,
      next: 'look again in a minute',
    };
  }
  if (!lastResult.startsWith('PROBLEM')) return undefined;
  return { subject, state: 'warning', says: `Lambda says of ${queue}: ${lastResult}`, next: 'look again in a minute' };
}
