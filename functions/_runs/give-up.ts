import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { later, type RecordResult } from '../_handler/record-result.ts';
import { apply } from './apply.ts';
import { decideLastChance } from './decide/decide.ts';
import { storedOwn } from './decide/rows.ts';
import type { CommandWork, RunCommandDeps } from './decide/state.ts';
import { shortWaitMs } from './decide/waiting.ts';
import { endOfObserved } from './handle-command.ts';
import { loadState } from './load.ts';
import { reportOutcome } from './outcomes.ts';
import { mostLostRounds, repeatFollowUps } from './rounds.ts';

/**
 * Ends a command whose message the queue gave up: its runs count as running, and their planned stops are armed. It is parked WORKER_DIED, or
 * START_OUTCOME_UNKNOWN if its request may have left.
 * @returns `undefined` for a message that is no command
 */
export async function giveUpCommand(
  work: CommandWork,
  detail: string,
  deps: Pick<RunCommandDeps, 'ledger' | 'bus' | 'random'> & Pick<RunCommandDeps['config'], 'mode'>,
): Promise<RecordResult | undefined> {
  const { record, context } = work;
  const parsed = parseCampaignRunCommand(record.body, context.now());
  if (!parsed.ok) return undefined;
  const observed = deps.mode === 'act' ? endOfObserved(parsed.command) : undefined;
  if (observed !== undefined) return observed;
  for (let tries = 0; tries < mostLostRounds; tries += 1) {
    const asked = { sent: parsed.command, sentAt: record.sentAt };
    const state = await loadState(asked, { ledger: deps.ledger, config: { runs: {} } });
    const own = storedOwn(state);
    if (own?.outcome !== undefined) return repeatFollowUps(own, work, deps);
    const { body, receiveCount, sentAt } = record;
    const delivery = { owner: context.attemptId, remainingMs: context.remainingMs(), random: deps.random };
    const moment = { ...state, now: context.now(), delivery: { ...delivery, body, receiveCount, sentAt } };
    const { writes } = decideLastChance(moment, { type: 'last-chance', reason: 'WORKER_DIED', detail });
    const rows = await apply(writes, state.rows, deps);
    if (rows !== 'row-changed') return reportOutcome(storedOwn({ ...state, rows }), work, deps);
  }
  return later(shortWaitMs, 'the rows of this command changed concurrently');
}
