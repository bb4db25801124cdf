import type { RowChange } from '#shared/ledger/ledger.ts';
import { clockMarginMs } from '#shared/ledger/read-back.ts';
import { attemptOf, type CommandRow } from '#shared/ledger/rows/command-row.ts';
import {
  identityOf,
  landsForMs,
  plusMs,
  type RunRow,
  type RunUpdates,
  type Starting,
  type StartUnknown,
  stateOf,
} from '#shared/ledger/rows/run-row.ts';
import { type CommandOrder, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { unknownName } from '../run-policy.ts';
import { decideStopAnswer } from './decide-stop-answer.ts';
import {
  applied,
  changed,
  ends,
  lateAnswer,
  leaseOf,
  ownRow,
  parked,
  runChange,
  skipped,
  superseded,
  type Wait,
  waits,
} from './decision.ts';
import { endUnknown } from './resume-start.ts';
import { given, guardAgain } from './send-start.ts';
import type { Answered, CallFailure, Decision, Moment } from './state.ts';
import { delayAfter, holdBeforeCall, weighed } from './waiting.ts';
import { campaignOf, startApplied } from './end-start.ts';

/** What an answer means for the row as it is now. Pure. */
export function decideAnswer(moment: Moment, event: Answered): Decision {
  const { run, command } = moment;
  if (command.action === 'update') return decideUpdateAnswer(moment, event);
  if (run !== undefined && 'lease' in run && run.lease?.owner === event.owner) {
    return run.state === 'starting' ? decideStartAnswer(moment, run, event) : decideStopAnswer(moment, run, event);
  }
  return decideLateAnswer(moment, event);
}

/** The attempt does not hold the row any more. Only a proof that its start began counts. */
function decideLateAnswer(moment: Moment, event: Answered): Decision {
  const row = moment.runNow;
  const isOwn = row?.state === 'start-unknown' && row.start.startId === moment.command.id;
  if (isOwn && event.answer.kind === 'applied') return endStarted(moment, row, event.answer.detail);
  return lateAnswer(event);
}

function endStarted(moment: Moment, row: RunRow & (Starting | StartUnknown), detail: string | undefined): Decision {
  const { config, delivery } = moment;
  // A stage that observes sent none.
  const requestId = config.mode === 'observe' ? undefined : delivery.owner;
  const end = startApplied(row, { detail, campaign: campaignOf(moment), requestId });
  return ends(moment, end, [runChange(moment, row, { state: 'running', start: row.start })]);
}

function decideStartAnswer(moment: Moment, row: RunRow & Starting, { answer, owner }: Answered): Decision {
  const { now } = moment;
  if (answer.kind === 'applied') return endStarted(moment, row, answer.detail);
  const { failure, refusals } = weighed(answer, moment.row?.attempt, moment);
  const { why, evidence } = failure;
  switch (failure.kind) {
    case 'no-answer': {
      const landsUntil = plusMs(now.toISOString(), landsForMs);
      const unknown: StartUnknown = {
        state: 'start-unknown',
        start: row.start,
        landsUntil,
        requestId: owner,
        httpStatus: evidence.httpStatus,
      };
      return { changes: [runChange(moment, row, unknown), noted(moment, failure)], then: { kind: 'next' } };
    }
    case 'not-applied': {
      const changes = withdrawn(moment, row, false);
      const delayMs = delayAfter(failure, moment);
      return waits(moment, { delayMs, why, changes, returnsId: !repeats(row), failed: { evidence, refusals } });
    }
    case 'refused':
      return endRefused(moment, row, failure);
  }
}

/** The row says at once what came back, also if the worker dies before it reads the campaign. */
function noted(moment: Moment, { why, evidence }: CallFailure): RowChange {
  const own = ownRow(moment);
  const attempt = { ...attemptOf(own, moment.now), lastError: why, evidence };
  return changed<CommandRow>(moment.row, { ...own, attempt });
}

/** Whether the start was in doubt before this try of it. */
function repeats({ start, before }: Starting): boolean {
  return before.state === 'start-unknown' && before.start.startId === start.startId;
}

/** This try was proven not applied: the row is as it was before, and an earlier request without an answer keeps what it holds. */
function withdrawn(moment: Moment, row: RunRow & Starting, isIdRefused: boolean): readonly RowChange[] {
  const { latest, ...earlier } = row.before;
  const run = runChange(moment, row, earlier, { latest });
  const { before } = row;
  // The earlier try has its own times: a reservation with those of this one would outlast its row.
  if (repeats(row) && 'start' in before) return [run, ...guardAgain(moment, before.start)];
  return [run, ...given(moment, row.start, before, isIdRefused)];
}

/** The gateway did not look at the id: it is not used up. */
const idStaysFree = new Set<number | undefined>([400, 403, 422]);

function endRefused(moment: Moment, row: RunRow & Starting, failure: CallFailure): Decision {
  const { why, evidence, reason = 'CONFLICT' } = failure;
  const { before, campaignRunId } = row;
  if (repeats(row) && before.state === 'start-unknown') {
    const detail = `an earlier try may have begun, and this one was refused: ${why}`;
    return endUnknown(moment, { ...identityOf(row), ...before }, detail, withdrawn(moment, row, false));
  }
  const changes = withdrawn(moment, row, !idStaysFree.has(evidence.httpStatus));
  return ends(moment, parked(reason, why, { campaignRunId, evidence }), changes);
}

/** An update of name and preserve: it passes no guard, competes with no start or stop, and repeats freely. Pure. */
export function decideUpdate(moment: Moment): Decision {
  const { command, campaignRunId = '', config } = moment;
  const { id, issuedAt, run, name, preserve } = command;
  if (run !== undefined && !Object.hasOwn(config.runs, run)) {
    return ends(moment, parked('CONFIG', unknownName(run, config)));
  }
  const row = moment.runNow;
  if (row === undefined) return ends(moment, skipped('NOTHING_TO_UPDATE', `no id of ${run} has been used yet`));
  const latest = row.update?.applied;
  if (latest?.id === id) return ends(moment, applied(campaignRunId));
  if (latest !== undefined && compareCommands(latest, command) > 0) {
    return ends(moment, superseded(campaignRunId, `a later update (${latest.id}) is applied`));
  }
  const hold = holdByRow(moment, row) ?? holdBeforeCall('runs', moment);
  if (hold !== undefined) return waits(moment, hold);
  return {
    changes: [withUpdates(moment, row, { applied: latest, pending: { id, issuedAt, lease: leaseOf(moment) } })],
    effect: { do: 'patch', input: { campaignRunId, name, preserve } },
    then: { kind: 'next' },
  };
}

/** A start may send a name too: an update waits until a start without an answer can land no more. */
function holdByRow({ command, now }: Moment, row: RunRow): Wait | undefined {
  const pending = row.update?.pending;
  const lands = [
    row.state === 'start-unknown' ? row.landsUntil : undefined,
    pending?.id === command.id ? undefined : mayLandUntil(pending, now),
  ];
  const surelyMs = lands.map((instant) => (Date.parse(instant ?? '') || -Infinity) + clockMarginMs);
  const delayMs = Math.max(...surelyMs, Date.parse(pending?.lease?.until ?? '') || 0) - now.getTime();
  return delayMs > 0 ? { delayMs, why: 'an earlier request for this run may still land' } : undefined;
}

/** Until when the request of an update may land that has no answer, or whose lease ended without one. */
function mayLandUntil(pending: RunUpdates['pending'], now: Date): string | undefined {
  const { landsUntil: known, lease } = pending ?? {};
  const isOver = lease !== undefined && Date.parse(lease.until) <= now.getTime();
  return known ?? (isOver ? plusMs(lease.until, landsForMs) : undefined);
}

function withUpdates(moment: Moment, row: RunRow, update: RunUpdates): RowChange {
  return runChange(moment, row, stateOf(row), { update });
}

/** What became of the PATCH of an update. Pure. */
function decideUpdateAnswer(moment: Moment, event: Answered): Decision {
  const { run } = moment;
  const pending = run?.update?.pending;
  const isHeld = pending?.id === moment.command.id && pending.lease?.owner === event.owner;
  return run !== undefined && isHeld ? decideHeldAnswer(moment, run, pending, event) : lateAnswer(event);
}

function decideHeldAnswer(moment: Moment, run: RunRow, { id, issuedAt }: CommandOrder, { answer }: Answered): Decision {
  const { campaignRunId, now } = moment;
  const before = { applied: run.update?.applied };
  if (answer.kind === 'applied') {
    const change = withUpdates(moment, run, { applied: { id, issuedAt } });
    return ends(moment, applied(campaignRunId, answer.detail), [change]);
  }
  const { failure, refusals } = weighed(answer, moment.row?.attempt, moment);
  const { why, evidence, reason = 'CONFLICT' } = failure;
  if (failure.kind === 'refused') {
    return ends(moment, parked(reason, why, { campaignRunId, evidence }), [withUpdates(moment, run, before)]);
  }
  const unknown = { ...before, pending: { id, issuedAt, landsUntil: plusMs(now.toISOString(), landsForMs) } };
  const changes = [withUpdates(moment, run, failure.kind === 'no-answer' ? unknown : before)];
  return waits(moment, { delayMs: delayAfter(failure, moment), why, changes, failed: { evidence, refusals } });
}
