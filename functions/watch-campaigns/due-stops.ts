import type { RunItem } from '../../shared/ledger/items.ts';
import { commandIds } from '../../shared/messages/command-ids.ts';
import { type DueCommand, lateAfterMs } from './send-due-commands.ts';

/** The stop that a run's start planned, where its time has come. Pure. */
export function dueStopOf(row: RunItem, now: Date): DueCommand | undefined {
  const { stopDue, campaignRunId } = row;
  if (stopDue === undefined) return undefined;
  const lateMs = now.getTime() - Date.parse(stopDue.at);
  if (lateMs < 0) return undefined;
  const reason = reasonOf(stopDue, lateMs);
  return {
    lateMs,
    sentence: `stop of ${campaignRunId} sent: ${reason}`,
    command: {
      version: 1,
      id: commandIds.dueStop(campaignRunId, stopDue.at),
      action: 'stop',
      campaignRunId,
      issuedAt: issuedAt(row, stopDue.at),
      origin: { kind: 'watcher', name: 'watch-campaigns' },
      reason,
    },
  };
}

/** The instant at which it was due, so that each tick says the same; a start from a clock that is ahead must not outrank its own stop. */
function issuedAt({ wish }: RunItem, dueAt: string): string {
  const newestMs = wish?.action === 'start' ? Date.parse(wish.issuedAt) + 1 : 0;
  return new Date(Math.max(Date.parse(dueAt), newestMs)).toISOString();
}

const minuteMs = 60_000;

function reasonOf(stopDue: NonNullable<RunItem['stopDue']>, lateMs: number): string {
  const planned = `planned by its start (${stopDue.commandId}) for ${stopDue.at}`;
  return lateMs < lateAfterMs ? planned : `${planned}, sent ${Math.floor(lateMs / minuteMs)} minutes late`;
}
