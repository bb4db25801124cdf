import { clockMarginMs } from '#shared/ledger/read-back.ts';
import type { RowChange } from '#shared/ledger/ledger.ts';
import { landsForMs, plusMs, type RunRow, type RunUpdates, stateOf } from '#shared/ledger/rows/run-row.ts';
import { type CommandOrder, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { unknownName } from '../run-policy.ts';
import {
  applied,
  ends,
  lateAnswer,
  parked,
  runChange,
  runNow,
  skipped,
  superseded,
  type Wait,
  waits,
} from './decision.ts';
import type { Answered, Decision, Moment } from './state.ts';
import { delayAfter, holdBeforeCall, weighed } from './waiting.ts';

/** An update of name and preserve: it passes no guard, competes with no start or stop, and repeats freely. Pure. */
export function decideUpdate(moment: Moment): Decision {
  const { command, campaignRunId = '', config, delivery, now } = moment;
  const { id, issuedAt, run, name, preserve } = command;
  if (run !== undefined && !Object.hasOwn(config.runs, run)) {
    return ends(moment, parked('CONFIG', unknownName(run, config)));
  }
  const row = runNow(moment);
  if (row === undefined) return ends(moment, skipped('NOTHING_TO_UPDATE', `no id of ${run} has been used yet`));
  const latest = row.update?.applied;
  if (latest?.id === id) return ends(moment, applied(campaignRunId));
  if (latest !== undefined && compareCommands(latest, command) > 0) {
    return ends(moment, superseded(campaignRunId, `a later update (${latest.id}) is applied`));
  }
  const hold = holdByRow(moment, row) ?? holdBeforeCall('runs', moment);
  if (hold !== undefined) return waits(moment, hold);
  const lease = { owner: delivery.owner, until: plusMs(now.toISOString(), delivery.remainingMs) };
  return {
    changes: [withUpdates(moment, row, { applied: latest, pending: { id, issuedAt, lease } })],
    effect: { do: 'patch', input: { campaignRunId, name, preserve } },
    then: { kind: 'next' },
  };
}

/** A start may send a name too: an update waits until a start without an answer can land no more. */
function holdByRow({ command, now }: Moment, row: RunRow): Wait | undefined {
  const pending = row.update?.pending;
  const lands = [
    row.state === 'start-unknown' ? row.landsUntil : undefined,
    pending?.id === command.id ? undefined : pending?.landsUntil,
  ];
  const surelyMs = lands.map((instant) => (Date.parse(instant ?? '') || -Infinity) + clockMarginMs);
  const delayMs = Math.max(...surelyMs, Date.parse(pending?.lease?.until ?? '') || 0) - now.getTime();
  return delayMs > 0 ? { delayMs, why: 'an earlier request for this run may still land' } : undefined;
}

function withUpdates(moment: Moment, row: RunRow, update: RunUpdates): RowChange {
  return runChange(moment, row, stateOf(row), { update });
}

/** What became of the PATCH of an update. Pure. */
export function decideUpdateAnswer(moment: Moment, event: Answered): Decision {
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
  const { failure, refusals } = weighed(answer, moment.row?.attempt, now);
  const { why, evidence, reason = 'CONFLICT' } = failure;
  if (failure.kind === 'refused') {
    return ends(moment, parked(reason, why, { campaignRunId, evidence }), [withUpdates(moment, run, before)]);
  }
  const unknown = { ...before, pending: { id, issuedAt, landsUntil: plusMs(now.toISOString(), landsForMs) } };
  const changes = [withUpdates(moment, run, failure.kind === 'no-answer' ? unknown : before)];
  return waits(moment, { delayMs: delayAfter(failure, moment), why, changes, failed: { evidence, refusals } });
}
