import type { Judgement } from '../../shared/guards/start-question.ts';
import { later } from '../_runtime/outcome.ts';
import { askGuards } from './ask-guards.ts';
import { waitBeforeCalls } from './before-call.ts';
import { parked, skipped } from './conclude.ts';
import { deferWithoutId, displacedBy } from './defer-start.ts';
import { type CommandResult, laterAfter } from './deps.ts';
import { endWithoutId } from './end-start.ts';
import { readCampaign } from './read-campaign.ts';
import type { AskedStart } from './start-reservation.ts';

/**
 * Ends a start for which no run id is left. The guards are asked all the same: what they pass over uses no id up, and what a blackout puts off
 * may find one by then. Only what they would let through needs a person.
 */
export async function startWithoutId(asked: AskedStart): Promise<CommandResult> {
  const { work, policy } = asked;
  const moot = work.row?.deferred === undefined ? undefined : displacedBy(asked);
  if (moot !== undefined) return endWithoutId(asked, moot);

  const first = await askGuards(asked);
  const judged = first.kind === 'apply' ? await judgeGap(asked, first) : first;
  if ('result' in judged) return judged.result;
  if (judged.kind === 'defer') return deferWithoutId(asked, judged);
  const { verdicts } = judged;
  if (judged.kind === 'skip') return endWithoutId(asked, { ...skipped(judged.reason, judged.detail), verdicts });
  const detail = `every id bound to ${policy.run?.name} has been used`;
  return endWithoutId(asked, { ...parked('NO_RUN_LEFT', detail), verdicts });
}

/** By the campaign as it reads, where it has a minimum gap. One that refuses to be read is nothing to wait for: a person is needed anyway. */
async function judgeGap(asked: AskedStart, first: Judgement): Promise<Judgement | { readonly result: CommandResult }> {
  const { work, deps, policy } = asked;
  const { campaignId, guards } = policy;
  if (campaignId === undefined || guards.minimumGap === undefined) return first;
  const wait = await waitBeforeCalls(['reads'], work, deps);
  if (wait !== undefined) return { result: later(wait.delayMs, wait.why) };
  const campaign = await readCampaign(campaignId, undefined, work, deps);
  if (campaign.kind === 'read') return askGuards(asked, campaign.reading);
  if (campaign.kind === 'refused' || (campaign.kind === 'not-applied' && campaign.refusals !== undefined)) return first;
  return { result: laterAfter(campaign.delayMs, campaign.why, campaign.evidence) };
}
