/** Run ids that no start can use, as the gateway shows their runs. */
import { mostIdsRead, type RunIdsAnswer, runIdsAnswer, type SuppliesAnswer } from '#shared/messages/questions.ts';
import { UsageError } from '../errors.ts';
import { type Finding, judged } from '../finding.ts';
import { counted } from '../readable.ts';
import { askStage } from '../stage/ask-stage.ts';
import type { AskingDeps } from '../stage/operator-deps.ts';
import { readsRuns } from '../stage/stage-config.ts';

/**
 * Reads ids before they are bound, if the gateway shows runs.
 * @returns why some could not be read; `undefined`: all were, or none can be
 */
export async function refuseOddIds(run: string, ids: readonly string[], deps: AskingDeps): Promise<string | undefined> {
  if (!(await readsRuns(deps))) return undefined;
  for (let from = 0; from < ids.length; from += mostIdsRead) {
    const some = ids.slice(from, from + mostIdsRead);
    const { odd, unread } = await askStage({ ask: 'run-ids', run, ids: some }, runIdsAnswer, deps);
    if (odd.length > 0) throw new UsageError(`${oddInWords(odd)}: nothing was bound; leave them out`);
    if (unread !== undefined) return unread;
  }
  return undefined;
}

function oddInWords(odd: RunIdsAnswer['odd']): string {
  return odd.map(({ campaignRunId, says }) => `${campaignRunId} ${says}`).join('; ');
}

/** What the gateway shows of the ids that are next, and whether it shows runs at all. */
export async function idFindings(
  reading: SuppliesAnswer['runReadings'],
  deps: AskingDeps,
): Promise<readonly Finding[]> {
  const subject = 'runs as the gateway shows them';
  if (reading === undefined) return [];
  if (reading !== 'on') {
    const says = `it answered ${reading.status}: it seems to have no GET /campaign-runs/{id}, and is asked once an hour`;
    const moments = [{ says: 'asked', at: reading.missingAt }];
    const next = { says: 'If it has none, take gateway.readsRuns away and deploy.' };
    return [judged.warning(subject, says, { moments, next })];
  }
  const { of, read, odd, unread } = await askStage({ ask: 'run-ids' }, runIdsAnswer, deps);
  const rest = unread === undefined || of === 0 ? '' : `; the others could not be read: ${unread}`;
  if (odd.length > 0) {
    const next = { says: 'Take these ids out of campaignRunIds, and bind others.' };
    return [judged.problem(subject, `${oddInWords(odd)}${rest}`, { next })];
  }
  const says = `${counted(read, 'id')} looked at, all can start${rest}`;
  return [judged[rest === '' ? 'ok' : 'unknown'](subject, says)];
}
