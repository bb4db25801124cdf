import { changedEntry, entryIn, ends, parked, storedOwn } from './rows.ts';
import { decideHeldStart, decideStartAnswer, lastOfHeldStart } from './held-start.ts';
import { decideNewStart, endGone } from './start.ts';
import type { Answered, CommandEvent, Decision, LastChance, Moment, Settling } from './state.ts';
import { decideStop, decideStopAnswer, lastOfStop } from './stop.ts';
import { shortWaitMs } from './waiting.ts';

/**
 * The one place that knows the order of questions about a command. Pure and total: it answers the
 * rows to write, at most one effect, and an outcome or a wait. Its table stands in
 * docs/reference/ledger.md; `rounds.ts` is the loop around it.
 */
export function decide(moment: Moment, event: CommandEvent): Decision {
  const isStart = moment.command.action === 'start';
  switch (event.type) {
    case 'answered':
      if (storedOwn(moment)?.outcome !== undefined) return lateAnswer(moment, event);
      return isStart ? decideStartAnswer(moment, event) : decideStopAnswer(moment, event);
    case 'last-chance':
      return decideLastChance(moment, event);
    case 'campaign-read':
    case 'command': {
      if (!isStart) return decideStop(moment);
      const read = event.type === 'campaign-read' ? event.result : undefined;
      const found = entryIn(moment, moment.command.id);
      return found === undefined ? decideNewStart(moment, read) : decideHeldStart(moment, found, read);
    }
  }
}

/** The command has its outcome already, by another delivery: only the count of requests without an answer changes. */
function lateAnswer(moment: Moment, { answer }: Answered): Decision {
  const found = entryIn(moment, moment.command.id);
  const isUnknown = answer.next !== 'applied' && answer.applied === 'unknown';
  const isAnswer = moment.command.action === 'start' && !isUnknown;
  const unanswered = Math.max(0, (found?.entry.unanswered ?? 0) - 1);
  const writes = found !== undefined && isAnswer ? [changedEntry(found, { unanswered })] : [];
  return { writes, then: { kind: 'wait', delayMs: shortWaitMs, why: 'its outcome is recorded already' } };
}

/** The retry deadline passed, three attempts died, or the queue gave the message up. The command gets its outcome now, and it says what may have come of it. */
export function decideLastChance(moment: Settling, event: LastChance): Decision {
  if (moment.command.action === 'stop') return lastOfStop(moment, event);
  const found = entryIn(moment, moment.command.id);
  if (found !== undefined) return lastOfHeldStart(moment, found, event);
  const own = storedOwn(moment);
  // Its run was ended meanwhile: that says more than that it took too long.
  if (own?.campaignRunId !== undefined) return endGone(moment, own);
  return ends(moment, parked(event.reason, event.detail, { evidence: own?.attempt?.evidence }));
}
