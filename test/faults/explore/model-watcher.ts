import type { Stored } from '#shared/ledger/ledger.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { freed, type GuardRow } from '#shared/ledger/rows/guard-row.ts';
import { type RunIdPoolRow, withoutLive } from '#shared/ledger/rows/run-id-pool-row.ts';
import {
  identityOf,
  type RunRow,
  runRowOf,
  type SentStart,
  type SentStop,
  startOf,
} from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import type { LightLedger } from './light-ledger.ts';
import type { VirtualWorld } from './virtual-world.ts';

/**
 * The minute's tick as design.md states it: due stops, recorded stops, deferred starts, and runs
 * that end without a stop. A model, so that the search depends on the worker alone. It ticks only
 * at minutes at which something is due, since any other tick changes nothing.
 */
export interface ModelWatcher {
  /** Sees each row that was written: its time may come. */
  readonly notice: (row: Stored) => void;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A request without an answer lands no more, whatever the clocks say. */
const surelyLandedMs = 5 * minuteMs;

/** What the watcher needs of a history. */
export interface WatcherDeps {
  readonly world: VirtualWorld;
  readonly ledger: LightLedger;
  readonly send: (command: CampaignRunCommand) => void;
  /** Ticks before that instant do not happen: the watcher is down. */
  readonly isDown?: () => boolean;
}

/** Starts the watcher. */
export function createModelWatcher({ world, ledger, send, isDown }: WatcherDeps): ModelWatcher {
  const ticks = new Set<number>();
  const sentAt = new Map<string, number>();

  function tickAt(atMs: number): void {
    const minute = Math.ceil(Math.max(atMs, world.nowMs() + 1) / minuteMs);
    if (ticks.has(minute)) return;
    ticks.add(minute);
    world.at(minute * minuteMs, () => {
      ticks.delete(minute);
      if (isDown?.() === true) tickAt(world.nowMs() + minuteMs);
      else tick();
    });
  }

  function sendOnce(command: CampaignRunCommand): void {
    const row = ledger.get(ledgerKeys.command(command.id)) as Stored<CommandRow> | undefined;
    if (row?.outcome !== undefined) return;
    const before = sentAt.get(command.id);
    if (before === undefined || world.nowMs() - before >= hourMs) {
      sentAt.set(command.id, world.nowMs());
      send(command);
    }
    tickAt((sentAt.get(command.id) ?? 0) + hourMs);
  }

  function tick(): void {
    for (const row of Array.from(ledger.all())) {
      if (row.openState === 'RUN_IN_FLIGHT' && row.kind === 'run') visitRun(row);
      if (row.openState === 'DEFERRED' && row.kind === 'command') visitDeferred(row);
    }
  }

  function visitRun(row: Stored<RunRow>): void {
    const start = startOf(row);
    const planned = start?.plannedStop;
    if (start !== undefined && planned !== undefined && isOver(planned.at)) {
      sendOnce(dueStop(row.campaignRunId, start, planned.at));
    }
    const recorded = ownStopOf(row);
    if (recorded !== undefined) sendRecorded(recorded.id, () => recordedStop(row.campaignRunId, recorded));
    if (row.state === 'starting' || row.state === 'start-unknown') sendRecorded(row.start.startId);
    if (start !== undefined && planned === undefined && isOver(start.until)) close(row, start);
  }

  function isOver(instant: string): boolean {
    return Date.parse(instant) <= world.nowMs();
  }

  /** What has no outcome an hour after it was seen in the row: its message may have been purged. */
  function sendRecorded(id: string, made?: () => CampaignRunCommand): void {
    const known = ledger.get(ledgerKeys.command(id)) as Stored<CommandRow> | undefined;
    const command = known?.command ?? made?.();
    if (command === undefined || known?.outcome !== undefined) return;
    if (sentAt.has(id)) sendOnce(command);
    else sentAt.set(id, world.nowMs());
    tickAt((sentAt.get(id) ?? 0) + hourMs);
  }

  function visitDeferred(row: Stored<CommandRow>): void {
    const until = row.deferred?.until;
    if (until !== undefined && Date.parse(until) <= world.nowMs()) sendOnce(row.command);
  }

  /** A run whose `until` has passed, without a planned stop. */
  function close(row: Stored<RunRow>, start: SentStart): void {
    if (row.state === 'start-unknown') {
      const own = ledger.get(ledgerKeys.command(start.startId)) as Stored<CommandRow> | undefined;
      const landedMs = Date.parse(row.landsUntil) + surelyLandedMs;
      if (own?.outcome === undefined || landedMs > world.nowMs())
        return tickAt(Math.max(landedMs, world.nowMs() + minuteMs));
    } else if (row.state !== 'running') return tickAt(world.nowMs() + minuteMs);
    const { campaignRunId } = row;
    const guard = ledger.get(ledgerKeys.guard(start.guardName)) as Stored<GuardRow> | undefined;
    const pool = ledger.get(ledgerKeys.runIdPool(row.run ?? '')) as Stored<RunIdPoolRow> | undefined;
    const at = new Date(world.nowMs()).toISOString();
    const changes: { before: Stored; after: LedgerRow }[] = [
      { before: row, after: runRowOf(identityOf(row), { state: 'idle' }) },
    ];
    if (guard !== undefined)
      changes.push({ before: guard, after: freed(guard, { campaignRunId, startId: start.startId, at }) });
    if (pool !== undefined) changes.push({ before: pool, after: withoutLive(pool, campaignRunId) });
    void ledger.writeAll(changes);
  }

  return {
    notice(row) {
      if (row.kind === 'command' && row.deferred !== undefined && row.outcome === undefined) {
        tickAt(Date.parse(row.deferred.until));
      }
      if (row.kind !== 'run' || row.state === 'idle') return;
      const start = startOf(row);
      if (start !== undefined) tickAt(Date.parse(start.plannedStop?.at ?? start.until));
      if (row.state !== 'running') tickAt(world.nowMs() + minuteMs);
    },
  };
}

/** Its worker died before the command had a row: what the row of the run knows is enough. */
function recordedStop(campaignRunId: string, { id, issuedAt }: SentStop): CampaignRunCommand {
  return {
    version: 1,
    id,
    action: 'stop',
    campaignRunId,
    issuedAt,
    origin: { kind: 'watcher', name: 'watch-campaigns' },
    reason: 'accepted and not settled for an hour',
  };
}

function dueStop(campaignRunId: string, start: SentStart, at: string): CampaignRunCommand {
  return {
    version: 1,
    id: commandIds.dueStop(campaignRunId, at, start.startId),
    action: 'stop',
    campaignRunId,
    issuedAt: at,
    plannedBy: { startId: start.startId, at },
    origin: { kind: 'watcher', name: 'watch-campaigns' },
    reason: `planned by its start (${start.startId}) for ${at}`,
  };
}

/** The stop of a run that a command of its own asked for, so no planned one. */
function ownStopOf(row: RunRow) {
  if (!('stop' in row) || row.stop.plannedBy !== undefined) return undefined;
  return row.stop;
}
