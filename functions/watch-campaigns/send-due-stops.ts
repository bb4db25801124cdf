import type { Queue } from '../../shared/aws/queue.ts';
import { type CommandItem, type DueStopsItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';
import type { TickAnswer } from '../../shared/messages/tick-answer.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { metricNames } from '../../shared/vocabulary/metric-names.ts';
import type { Tick } from '../_runtime/handlers.ts';
import { type DueStop, dueStopOf, lateAfterMs } from './due-stops.ts';

/** What one tick needs. */
export interface WatchDeps extends Pick<Tick, 'now'> {
  readonly ledger: Ledger;
  readonly commands: Pick<Queue, 'send'>;
  readonly reports: Pick<Tick['reports'], 'log' | 'count'>;
}

/**
 * A stop that was sent is in its queue for 14 days and repeats there until the gateway says yes. Sent again all the same where an hour brought
 * no outcome: somebody may have purged the queue, and a second message with the same id is the same command.
 */
const sendAgainAfterMs = 60 * 60_000;

/**
 * Sends the stop of every run whose time has come. Level triggered: it goes by what the ledger says is in flight, so nothing is missed because
 * a tick, a schedule or every worker was down at that hour.
 */
export async function sendDueStops(deps: WatchDeps): Promise<TickAnswer> {
  const now = deps.now();
  const runs = await readRunsInFlight(deps.ledger);
  const due = runs.map((row) => dueStopOf(row, now)).filter((stop) => stop !== undefined);
  const remembered = await deps.ledger.read<DueStopsItem>(ledgerKeys.dueStops());
  const sent = new Map<string, string>();

  for (const stop of due) {
    const before = remembered?.sent[stop.command.id];
    const at = (await needsSending(stop, before, now, deps.ledger)) ? await send(stop, now, deps) : before;
    if (at !== undefined) sent.set(stop.command.id, at);
  }
  await remember(remembered, sent, deps.ledger);

  const late = due.filter(({ lateMs }) => lateMs >= lateAfterMs).length;
  deps.reports.count(metricNames.stopsLate, late);
  return {
    summary: `${runs.length} runs in flight, ${due.length} stops due`,
    inFlight: runs.length,
    due: due.length,
    late,
  };
}

/** All of them: a few hundred at most, since each is a campaign that runs at this moment. */
async function readRunsInFlight(ledger: Ledger): Promise<readonly RunItem[]> {
  const runs: RunItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.listOpen('RUN_IN_FLIGHT', cursor === undefined ? {} : { cursor });
    runs.push(...page.items.filter((row): row is typeof row & RunItem => row.kind === 'run'));
    cursor = page.next;
  } while (cursor !== undefined);
  return runs;
}

/** One with an outcome needs a person or nothing at all: a parked stop is not sent every hour. */
async function needsSending(
  { command }: DueStop,
  before: string | undefined,
  now: Date,
  ledger: Ledger,
): Promise<boolean> {
  if (before !== undefined && now.getTime() - Date.parse(before) < sendAgainAfterMs) return false;
  const row = await ledger.read<CommandItem>(ledgerKeys.command(command.id));
  return row?.outcome === undefined;
}

async function send({ command, lateMs }: DueStop, now: Date, { commands, reports }: WatchDeps): Promise<string> {
  await commands.send(JSON.stringify(command));
  const { id, campaignRunId, reason } = command;
  const isLate = lateMs >= lateAfterMs;
  reports.log[isLate ? 'warn' : 'info'](logEvents.commandSent, `stop of ${campaignRunId} sent: ${reason}`, {
    id,
    campaignRunId,
    lateMs,
  });
  return now.toISOString();
}

/** Written after the sends: a tick that dies between them sends once more, and the id makes that the same command. */
async function remember(
  before: Stored<DueStopsItem> | undefined,
  sent: ReadonlyMap<string, string>,
  ledger: Ledger,
): Promise<void> {
  const next = Object.fromEntries(sent);
  if (JSON.stringify(next) === JSON.stringify(before?.sent ?? {})) return;
  await ledger.write<DueStopsItem>(before, { pk: ledgerKeys.dueStops(), kind: 'due-stops', sent: next });
}
