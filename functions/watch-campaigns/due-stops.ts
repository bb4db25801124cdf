import type { RunItem } from '../../shared/ledger/items.ts';
import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import { commandIds } from '../../shared/messages/command-ids.ts';

/** A tick comes every minute and a command is handled in seconds: a stop that is not applied by then is late. */
export const lateAfterMs = 2 * 60_000;

/** A run whose stop is due. */
export interface DueStop {
  readonly command: CampaignRunCommand;
  /** Milliseconds since it was due. */
  readonly lateMs: number;
}

/** The stop that a run's start planned, where its time has come. Pure. */
export function dueStopOf(row: RunItem, now: Date): DueStop | undefined {
  const { stopDue, campaignRunId } = row;
  if (stopDue === undefined) return undefined;
  const lateMs = now.getTime() - Date.parse(stopDue.at);
  if (lateMs < 0) return undefined;
  return {
    lateMs,
    command: {
      version: 1,
      id: commandIds.dueStop(campaignRunId, stopDue.at),
      action: 'stop',
      campaignRunId,
      issuedAt: issuedAt(row, stopDue.at),
      origin: { kind: 'watcher', name: 'watch-campaigns' },
      reason: reasonOf(stopDue, lateMs),
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
