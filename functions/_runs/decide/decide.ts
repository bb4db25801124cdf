import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { decideAnswer, decideUpdate } from './decide-answer.ts';
import { decideStart } from './decide-start.ts';
import { givenUp } from './decide-stop-answer.ts';
import { decideStop, endRun } from './decide-stop.ts';
import { ends, momentAt, parked, runChange, shortWaitMs, waits } from './decision.ts';
import { cannotTell, endUnknown } from './resume-start.ts';
import { startNeverAnswered } from './end-start.ts';
import type { CampaignRead, CommandEvent, CommandState, Decision, Moment, Policy } from './state.ts';
import { delayAfter, validityLeftMs, weighed } from './waiting.ts';

/** A campaign that cannot be read holds a start until this much of its validity remains; then it goes without a first reading. */
const goesUnreadMs = 5 * 60_000;

/**
 * The one place that knows the order of questions about a command. Pure and total: it answers the rows to write, at most one effect, and an outcome
 * or a wait. `docs/reference/ledger.md` has the table of states; `handle-command.ts` is the loop around this.
 * @example decide(state, { type: 'command' }, policy, new Date()).then.kind // 'next'
 */
export function decide(state: CommandState, event: CommandEvent, policy: Policy, now: Date): Decision {
  const moment = momentAt(state, policy, now);
  if (event.type === 'answered') return decideAnswer(moment, event);
  const heldMs = heldByOther(moment);
  if (heldMs > 0) {
    return waits(moment, { delayMs: Math.min(heldMs, shortWaitMs), why: 'another attempt holds this run' });
  }
  if (event.type === 'last-chance') return decideLastChance(moment, event);
  if (event.type === 'campaign-read') return decideRead(moment, event.result);
  switch (moment.command.action) {
    case 'start':
      return decideStart(moment);
    case 'stop':
      return decideStop(moment);
    case 'update':
      return decideUpdate(moment);
  }
}

/** Milliseconds until the live lease of another attempt ends; 0 if the row is free. */
function heldByOther({ run, delivery, now }: Moment): number {
  const lease = run !== undefined && 'lease' in run ? run.lease : undefined;
  if (lease === undefined || lease.owner === delivery.owner) return 0;
  return Math.max(0, Date.parse(lease.until) - now.getTime());
}

/** The campaign was read, or could not be: the start is decided again with it, or waits for another read. */
function decideRead(moment: Moment, result: CampaignRead): Decision {
  if (result.kind === 'read') return decideStart({ ...moment, reading: result.reading });
  const row = moment.runNow;
  const { failure, refusals } = weighed(result, moment.row?.attempt, moment);
  const { why, evidence, reason = 'CONFIG' } = failure;
  const failed = { evidence, refusals };
  const { start } = moment;
  if (typeof start !== 'object') throw new Error('a campaign is read for a start without its policy');
  if (row?.state === 'start-unknown' && row.start.startId === moment.command.id) {
    return cannotTell({ ...moment, start }, row, { ...failure, failed });
  }
  if (failure.kind === 'refused') return ends(moment, parked(reason, why, { evidence }));
  // A minimum gap needs its fact, however late.
  const needsFact = start.guards.minimumGap !== undefined;
  if (!needsFact && validityLeftMs(moment) <= goesUnreadMs) return decideStart({ ...moment, goesUnread: true });
  return waits(moment, { delayMs: delayAfter(failure, moment), why, failed });
}

/** The retry deadline passed, or three attempts died. */
type LastChance = Extract<CommandEvent, { type: 'last-chance' }>;

/**
 * The command gets its outcome now, and says what may have come of it. A start that may have been
 * sent keeps its stop, its id and its place.
 */
function decideLastChance(moment: Moment, about: LastChance): Decision {
  const row = moment.runNow;
  if (moment.command.action === 'stop') return lastOfStop(moment, row, about);
  const start = moment.command.action === 'start' && row !== undefined && lastOfStart(moment, row, about);
  if (start) return start;
  return ends(moment, parked(about.reason, about.detail, { evidence: moment.row?.attempt?.evidence }));
}

function lastOfStop(moment: Moment, row: RunRow | undefined, { reason, detail }: LastChance): Decision {
  const { command, campaignRunId } = moment;
  const isOwn = row !== undefined && 'stop' in row && row.stop.id === command.id;
  const said = `${detail}; the run may still be running: its stop is sent no more, so stop it at the gateway by hand if it must end now`;
  const end = parked(reason, said, { campaignRunId, evidence: moment.row?.attempt?.evidence });
  return endRun(moment, end, isOwn ? [runChange(moment, row, givenUp(row))] : []);
}

/** The row holds this very start: it may have been sent. */
function lastOfStart(moment: Moment, row: RunRow, { detail }: LastChance): Decision | undefined {
  const { command, campaignRunId } = moment;
  if (row.state === 'start-unknown' && row.start.startId === command.id) {
    return endUnknown(moment, row, detail);
  }
  const before = 'before' in row && 'start' in row.before ? row.before : undefined;
  if (before?.start.startId !== command.id) return undefined;
  return ends(moment, startNeverAnswered(campaignRunId, before, `${detail}; a stop of its run is not settled`));
}
