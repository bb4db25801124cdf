import type { RowChange } from '#shared/ledger/ledger.ts';
import { type CommandEnd, type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { newRunIdPool, type RunIdPoolRow, withLive } from '#shared/ledger/rows/run-id-pool-row.ts';
import {
  beforeOf,
  type RunRow,
  type SentStart,
  plansStop,
  type SentStop,
  startOf,
  type Stopping,
  type StopUnknown,
} from '#shared/ledger/rows/run-row.ts';
import { type CampaignRunCommand, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { unknownName } from '../run-policy.ts';
import {
  applied,
  changed,
  ends,
  leaseOf,
  ownRow,
  parked,
  runChange,
  shortWaitMs,
  skipped,
  superseded,
  type Wait,
  waits,
  withStopNoted,
} from './decision.ts';
import type { Decision, Moment } from './state.ts';
import { holdBeforeStop, longestStopWaitMs, stopWaitMs, unsettledWaitMs } from './waiting.ts';

/** A stop passes no guard, and repeats until the gateway accepts it. A planned stop acts only on the start that planned it. Pure. */
export function decideStop(moment: Moment): Decision {
  const row = moment.runNow;
  if (row === undefined) return endWithoutRun(moment);
  switch (row.state) {
    case 'starting':
      return waits(moment, { delayMs: shortWaitMs, why: 'another attempt holds this run' });
    case 'stopping':
    case 'stop-unknown':
      return decideStopping(moment, row, row);
    case 'idle':
    case 'running':
    case 'start-unknown':
      return decideSettled(moment, row);
  }
}

/** A stop by name, and no run is left that it is about. */
function endWithoutRun(moment: Moment): Decision {
  const { command, pool, row, config } = moment;
  const name = command.run ?? '';
  const verdicts = row?.runVerdicts ?? {};
  // A person's repeat drops the verdicts that parked it, so there may be none left.
  if (Object.keys(verdicts).length > 0) return ends(moment, combined(verdicts));
  if (pool === undefined && !Object.hasOwn(config.runs, name)) {
    return ends(moment, parked('CONFIG', unknownName(name, config)));
  }
  const since = config.mode === 'observe' ? 'would be live since the stage observes' : 'is live';
  const end = skipped('NOTHING_TO_STOP', `no id of ${name} ${since}`);
  return ends(moment, end, withStopNoted(moment, []));
}

/** Idle, running, or a start in doubt. */
function decideSettled(moment: Moment, row: RunRow): Decision {
  const { command, others, config } = moment;
  const { campaignRunId } = row;
  if (row.state === 'idle' && row.stopped?.id === command.id) return endRun(moment, applied(campaignRunId));
  const start = startOf(row);
  const replaced = command.plannedBy === undefined ? laterThan(command, row) : foreignPlan(command, start);
  if (replaced === undefined) return accept(moment, row, stopOf(command, start, config.gateway.status.stop));
  const isUnsettled = row.state === 'start-unknown' && others.get(row.start.startId)?.outcome === undefined;
  if (!isUnsettled) return endRun(moment, superseded(campaignRunId, replaced));
  return waits(moment, { delayMs: stopWaitMs(moment.delivery), why: 'a start of this run has no outcome yet' });
}

/** The later command that the row records, in one sentence. */
export function laterThan(command: CampaignRunCommand, { latest }: RunRow): string | undefined {
  return latest !== undefined && compareCommands(latest, command) > 0
    ? `a later ${latest.action} (${latest.id}) is recorded`
    : undefined;
}

/** A planned stop of another start neither ends this run nor replaces anything. */
function foreignPlan({ plannedBy }: CampaignRunCommand, start: SentStart | undefined): string | undefined {
  return plansStop(start, plannedBy)
    ? undefined
    : `the run of the start that planned it (${plannedBy?.startId}) has ended`;
}

/** With the word of the time of the start: no later configuration can orphan its stop. */
function stopOf({ id, issuedAt, plannedBy }: CampaignRunCommand, start: SentStart | undefined, word: string): SentStop {
  return { id, issuedAt, plannedBy, word: start?.plannedStop?.word ?? word };
}

/** The row accepts the stop: from here on no earlier start is sent. */
function accept(moment: Moment, row: RunRow, stop: SentStop): Decision {
  const notBefore = row.state === 'start-unknown' ? row.landsUntil : undefined;
  return sendStop(moment, row, { state: 'stopping', stop, before: beforeOf(row), notBefore });
}

/** A stop is accepted and not settled: it goes on, a later one takes it over, and everything else waits. */
function decideStopping(moment: Moment, row: RunRow, stopping: Stopping | StopUnknown): Decision {
  const { command, config } = moment;
  const { stop, before, landsUntil, appliedAt } = stopping;
  const notBefore = stopping.state === 'stopping' ? stopping.notBefore : undefined;
  const next: Stopping = { state: 'stopping', stop, before, notBefore, landsUntil, appliedAt };
  if (stop.id === command.id) return sendStop(moment, row, next);
  // A planned stop does not compete by time: every command that competes may take it over.
  const isLater = stop.plannedBy !== undefined || compareCommands(command, stop) > 0;
  if (command.plannedBy !== undefined || laterThan(command, row) !== undefined || !isLater) {
    return waits(moment, { delayMs: unsettledWaitMs(moment), why: `the stop ${stop.id} is not settled yet` });
  }
  const tookOver = stop.plannedBy === undefined ? stop.tookOver : stop.id;
  const taken = { ...stopOf(command, startOf(row), config.gateway.status.stop), tookOver };
  return sendStop(moment, row, { ...next, stop: taken });
}

/** Sends the PATCH of a stop, or waits with the stop accepted. */
function sendStop(moment: Moment, row: RunRow, next: Stopping): Decision {
  const { campaignRunId = '', now, run } = moment;
  const { id, issuedAt, plannedBy, word } = next.stop;
  const hold = holdUntil(next, now) ?? holdBeforeStop(moment);
  const latest = plannedBy === undefined ? ({ action: 'stop', issuedAt, id } as const) : row.latest;
  const identity = { latest, run: row.run ?? moment.pool?.run };
  const live = keptLive(moment);
  if (hold === undefined) {
    const changes = withStopNoted(moment, [
      runChange(moment, row, { ...next, lease: leaseOf(moment) }, identity),
      ...live,
    ]);
    return { changes, effect: { do: 'patch', input: { campaignRunId, status: word } }, then: { kind: 'next' } };
  }
  const isSame = run === row && 'stop' in row && row.stop.id === id;
  return waits(moment, { ...hold, changes: isSame ? [] : [runChange(moment, row, next, identity), ...live] });
}

/** A stop by name finds its run again by the pool, also once the configuration does not know the run any more. */
function keptLive({ command: { run }, pool, campaignRunId = '' }: Moment): readonly RowChange[] {
  if (run === undefined || pool?.live.includes(campaignRunId) === true) return [];
  return [changed<RunIdPoolRow>(pool, withLive(pool ?? newRunIdPool(run), campaignRunId))];
}

function holdUntil({ notBefore }: Stopping, now: Date): Wait | undefined {
  const delayMs = Date.parse(notBefore ?? '') - now.getTime();
  const why = 'an earlier start of this run may still land: the stop goes out after that';
  return delayMs > 0 ? { delayMs: Math.min(delayMs, longestStopWaitMs), why } : undefined;
}

/** A start finds its run's planned stop due: it sends that stop itself, under the id that the watcher would use. */
export function beginPlannedStop(moment: Moment, row: RunRow, start: SentStart): Decision {
  const command = plannedStopOf(row.campaignRunId, start);
  if (command === undefined) throw new Error(`the start ${start.startId} plans no stop`);
  const { id } = command;
  const decision = accept(moment, row, stopOf(command, start, moment.config.gateway.status.stop));
  if (moment.others.has(id)) return decision;
  const due = changed<CommandRow>(undefined, newCommandRow(command, moment.now));
  return { ...decision, changes: [due, ...decision.changes] };
}

/**
 * The planned stop of a start, issued when it is due. The watcher and a start of the same run send
 * the same command.
 * @returns `undefined` if the start plans none
 */
export function plannedStopOf(
  campaignRunId: string,
  { startId, plannedStop }: Pick<SentStart, 'startId' | 'plannedStop'>,
): CampaignRunCommand | undefined {
  if (plannedStop === undefined) return undefined;
  const { at } = plannedStop;
  return {
    version: 1,
    id: commandIds.dueStop(campaignRunId, at, startId),
    action: 'stop',
    campaignRunId,
    issuedAt: at,
    plannedBy: { startId, at },
    origin: { kind: 'watcher', name: 'watch-campaigns' },
    reason: `planned by its start (${startId}) for ${at}`,
  };
}

/** A stop has ended for one run: that is its outcome, unless it is by name and other runs are left. */
export function endRun(moment: Moment, end: CommandEnd, changes: readonly RowChange[] = []): Decision {
  const { command, campaignRunId = '', otherRuns, row } = moment;
  const all = withStopNoted(moment, changes);
  if (command.run === undefined) return ends(moment, end, all);
  const { kind, reason, detail } = end.outcome;
  const runVerdicts = { ...row?.runVerdicts, [campaignRunId]: { kind, reason, detail } };
  if (otherRuns.length === 0) {
    return ends(moment, { ...combined(runVerdicts), evidence: end.evidence, runVerdicts }, all);
  }
  const own = { ...ownRow(moment), runVerdicts };
  return { changes: [...all, changed<CommandRow>(row, own)], then: { kind: 'next-run' } };
}

const rank = { parked: 0, applied: 1, superseded: 2, skipped: 3, ignored: 4 } as const;

/** Of several runs the gravest verdict is the outcome: parked before applied before superseded. */
function combined(verdicts: NonNullable<CommandRow['runVerdicts']>): CommandEnd {
  const [first] = Object.entries(verdicts).toSorted(([, a], [, b]) => rank[a.kind] - rank[b.kind]);
  if (first === undefined) throw new Error('a stop by name ends without a verdict');
  const [campaignRunId, { kind, reason, detail = `run ${campaignRunId} stopped` }] = first;
  return { outcome: { kind, reason, detail }, campaignRunId };
}
