/** A start as it is sent: its instants, its PATCH, and what it takes of guard row and run id pool until it has failed. Pure. */
import { hash } from 'node:crypto';
import type { UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';
import type { RowChange } from '#shared/ledger/ledger.ts';
import { approvalsOf, attemptOf, type CommandRow } from '#shared/ledger/rows/command-row.ts';
import {
  countStart,
  type GuardRow,
  monthOf,
  newGuardRow,
  reservationOf,
  uncountStart,
  withoutReservation,
  withReservation,
} from '#shared/ledger/rows/guard-row.ts';
import {
  newRunIdPool,
  type RunIdPoolRow,
  withLive,
  withRefused,
  withReturned,
  withUsed,
} from '#shared/ledger/rows/run-id-pool-row.ts';
import { beforeOf, plusMs, type RunNow, type SentStart, type StateBefore } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { changed, leaseOf, ownRow, runChange } from './decision.ts';
import type { Decision, Moment, RunPolicy, RunsConfig, StartMoment } from './state.ts';

/** The instants of a start. */
export type StartTimes = Pick<SentStart, 'effectAt' | 'startAt' | 'until' | 'plannedStop'>;

/** When a start is due, in milliseconds: when it was issued, and its delay after that. */
export function dueMs({ issuedAt, startDelay }: Pick<CampaignRunCommand, 'issuedAt' | 'startDelay'>): number {
  return Date.parse(issuedAt) + (durationMs(startDelay ?? '') ?? 0);
}

/** When a start goes into effect, and what follows from that. A delay that has passed is left out: the gateway then starts the run at once. */
export function startTimes(
  { issuedAt, startDelay }: Pick<CampaignRunCommand, 'issuedAt' | 'startDelay'>,
  { stopAfter, inFlightFor }: Pick<RunPolicy, 'inFlightFor' | 'stopAfter'>,
  now: Date,
  { gateway }: Pick<RunsConfig, 'gateway'>,
): StartTimes {
  const delayedTo = dueMs({ issuedAt, startDelay });
  const isDelayed = startDelay !== undefined && delayedTo > now.getTime();
  const effectMs = isDelayed ? delayedTo : now.getTime();
  const after = (duration: string) => new Date(effectMs + (durationMs(duration) ?? 0)).toISOString();
  const effectAt = new Date(effectMs).toISOString();
  return {
    effectAt,
    startAt: isDelayed ? effectAt : undefined,
    until: after(inFlightFor),
    plannedStop: stopAfter === undefined ? undefined : { at: after(stopAfter), word: gateway.status.stop },
  };
}

/** The PATCH of a start. */
export function startInput(
  start: { readonly command: CampaignRunCommand; readonly policy: RunPolicy; readonly campaignRunId: string },
  sent: Pick<SentStart, 'effectAt' | 'startAt' | 'approvals'>,
  { gateway, timezone }: Pick<RunsConfig, 'gateway' | 'timezone'>,
): UpdateCampaignRunInput {
  const { command, policy, campaignRunId } = start;
  // `2026-11-20`, the date on the wall of that zone.
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
  const template = policy.run?.nameTemplate;
  return {
    campaignRunId,
    status: gateway.status.start,
    startAt: sent.startAt,
    name: command.name ?? template?.replaceAll('{date}', date.format(new Date(sent.effectAt))),
    preserve: command.preserve,
    idempotencyKey: idempotencyKeyOf(command.id, sent.approvals),
  };
}

/**
 * The same for every try of one start, and another for a person's repeat (docs/adr/0028-a-key-for-what-must-not-happen-twice.md). A digest, since a
 * header has its limits and an id may be anything printable.
 */
function idempotencyKeyOf(commandId: string, approvals: number): string {
  return hash('sha256', approvals === 0 ? commandId : `${commandId}#${approvals}`);
}

/** A start as it is sent now. */
export function newStart(moment: StartMoment): SentStart {
  const { command, start: run, row, reading, config, now } = moment;
  const times = startTimes(command, run, now, config);
  const confirm = config.mode === 'observe' ? undefined : run.run?.confirm;
  return {
    startId: command.id,
    issuedAt: command.issuedAt,
    firstSentAt: now.toISOString(),
    ...times,
    plannedStop: plannedStopOf(moment, times),
    guardName: run.guards.target,
    campaignId: run.campaignId,
    reading,
    confirm: confirm && { by: confirm.by, until: plusMs(times.effectAt, durationMs(confirm.within) ?? 0) },
    approvals: approvalsOf(row),
  };
}

/**
 * The planned stop of a start. If the start waited for the previous stop, it is not moved.
 * Otherwise back-to-back starts would drift later every day, until one finds a run that is not
 * nearly over. After any other wait the run has its whole time. So has one that waited for the stop
 * for half of its time or longer (ADR 57).
 */
function plannedStopOf(
  { row, command, now }: Moment,
  { effectAt, startAt, plannedStop }: StartTimes,
): SentStart['plannedStop'] {
  const { behindStop } = row?.attempt ?? {};
  if (plannedStop === undefined || behindStop === undefined || startAt !== undefined) return plannedStop;
  // A start with a delay was not due before.
  const sinceMs = Math.max(Date.parse(behindStop.since), dueMs(command));
  const heldMs = Math.max(0, Date.parse(behindStop.until ?? now.toISOString()) - sinceMs);
  const runsMs = Date.parse(plannedStop.at) - Date.parse(effectAt);
  return heldMs >= runsMs / 2 ? plannedStop : { ...plannedStop, at: plusMs(plannedStop.at, -heldMs) };
}

/** The write before the PATCH of a start, with the mark of this attempt, and the PATCH. */
export function sendStart(
  moment: StartMoment,
  row: RunNow,
  start: SentStart,
  verdicts: CommandRow['verdicts'],
): Decision {
  const { command, start: run, config, now } = moment;
  const before = beforeOf(row);
  const lease = leaseOf(moment);
  const latest = { action: 'start', issuedAt: command.issuedAt, id: command.id } as const;
  const starting = { state: 'starting', start, before, lease } as const;
  const own = ownRow(moment);
  const attempt = { ...attemptOf(own, now), ...lease };
  return {
    changes: [
      runChange(moment, row, starting, { latest, run: run.run?.name ?? row.run }),
      guardWith(moment, start),
      ...poolWith(moment, start),
      changed<CommandRow>(moment.row, { ...own, campaignRunId: row.campaignRunId, verdicts, attempt }),
    ],
    effect: {
      do: 'patch',
      input: startInput({ command, policy: run, campaignRunId: row.campaignRunId }, start, config),
    },
    then: { kind: 'next' },
  };
}

function guardWith({ guard, campaignRunId = '', start: run, config, now }: StartMoment, start: SentStart): RowChange {
  const reserved = withReservation(guard ?? newGuardRow(start.guardName), reservationOf(campaignRunId, start));
  const { campaign } = run;
  if (campaign === undefined || run.guards.startsPerMonth === undefined) return changed<GuardRow>(guard, reserved);
  const month = monthOf(new Date(start.effectAt), config.timezone);
  return changed<GuardRow>(guard, countStart(reserved, { month, campaign }, start.startId, now));
}

function poolWith({ pool, campaignRunId = '', start: { run } }: StartMoment, { startId }: SentStart): RowChange[] {
  if (run === undefined) return [];
  const before = pool ?? newRunIdPool(run.name);
  const isListed = run.pool.kind === 'list';
  const after = isListed ? withUsed(before, campaignRunId, startId) : withLive(before, campaignRunId);
  return [changed<RunIdPoolRow>(pool, after)];
}

/**
 * Guard row and pool after a start that began nothing: what it took goes back, and what it replaced has its place again.
 * @param isIdRefused the gateway refused this id for good: it stays used
 */
export function given(
  { guard, pool, campaignRunId = '' }: Moment,
  { startId }: SentStart,
  before: StateBefore,
  isIdRefused = false,
): readonly RowChange[] {
  const changes: RowChange[] = [];
  const replaced = 'start' in before ? before.start : undefined;
  if (guard !== undefined) {
    const back = uncountStart(withoutReservation(guard, campaignRunId), startId);
    const after = replaced === undefined ? back : withReservation(back, reservationOf(campaignRunId, replaced));
    changes.push(changed<GuardRow>(guard, after));
  }
  // What it replaced runs on, and stays live.
  if (pool !== undefined && replaced === undefined) {
    const give = isIdRefused ? withRefused : withReturned;
    changes.push(changed<RunIdPoolRow>(pool, give(pool, campaignRunId, startId)));
  }
  return changes;
}

/** The guard row with the place of this start as the row of its run has it. */
export function guardAgain({ guard, campaignRunId = '' }: Moment, start: SentStart): readonly RowChange[] {
  if (guard === undefined) return [];
  return [changed<GuardRow>(guard, withReservation(guard, reservationOf(campaignRunId, start)))];
}
