/** What the gateway says about a run that it was asked for, and when it is asked. Pure. */
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { isOver, mayAskForRuns, type RunReading, type RunReadingsRow } from '#shared/ledger/rows/run-reading.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { rowOf, waits } from './rows.ts';
import type { Decision, Moment } from './state.ts';
import { holdBeforeCall } from './waiting.ts';

/** What the watcher read this recently is not asked for again. */
const freshMs = 60_000;

/** Reads the first of these runs that this attempt has not asked for, before anything is decided that depends on it. */
export function askRun(moment: Moment, entries: readonly InFlight[]): Decision | undefined {
  const { config, rows, now, shown } = moment;
  if (config.gateway.readsRuns !== true || config.mode === 'observe') return undefined;
  if (!mayAskForRuns(rowOf<RunReadingsRow>(rows, ledgerKeys.runReadings()), now)) return undefined;
  const unread = entries.find(({ campaignRunId }) => shown?.has(campaignRunId) !== true);
  if (unread === undefined) return undefined;
  const hold = holdBeforeCall('reads', moment);
  if (hold !== undefined) return waits(moment, hold);
  return { writes: [], effect: { do: 'read-run', campaignRunId: unread.campaignRunId }, then: { kind: 'next' } };
}

/** Whether a run that is in the way by the rows may have ended: no worker has asked within the minute. */
export function mayHaveEnded(moment: Moment, entry: InFlight): boolean {
  const noted = notedOf(moment, entry);
  const isFresh = noted !== undefined && moment.now.getTime() - Date.parse(noted.at) <= freshMs;
  return entry.state === 'running' && !isFresh;
}

/** Whether the gateway shows a run as scheduled for this instant. Gateways keep times of other precision. */
export function isShownFor({ status, startAt }: RunReading, asked: string | undefined): boolean {
  return status === 'scheduled' && Math.abs(Date.parse(startAt ?? '') - Date.parse(asked ?? '')) < 1000;
}

/** Whether the gateway has said that the run of an entry has ended. The watcher takes the entry out. */
export function isShownOver(moment: Moment, entry: InFlight): boolean {
  const shown = moment.shown?.get(entry.campaignRunId) ?? notedOf(moment, entry);
  return shown !== undefined && isOver(shown, entry, moment.config.gateway.status);
}

function notedOf({ rows }: Moment, { campaignRunId, startId }: InFlight): ConfirmationRow['shown'] {
  const row = rowOf<ConfirmationRow>(rows, ledgerKeys.confirmation(campaignRunId));
  return row?.startId === startId ? row.shown : undefined;
}
