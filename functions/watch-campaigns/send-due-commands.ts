import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { listOpenOfKind } from '#shared/ledger/open-rows.ts';
import type { SentCommandsRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type DueKind, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { doEach, type SendDeps } from '../_watch/watch-tick.ts';
import { hourMs } from '#shared/schedule/duration.ts';

/** A tick comes every minute and a command is handled in seconds: what is not done by then is late. */
export const lateSendAfterMs = 2 * 60_000;

/** A command whose time has come. */
export interface DueCommand {
  readonly command: CampaignRunCommand;
  /** Milliseconds since it was due. */
  readonly lateMs: number;
  /** For the log: what is sent, and why. */
  readonly sentence: string;
}

/**
 * A command that was sent is in its queue for 14 days and repeats there until it has its outcome.
 * It is sent again after an hour without an attempt. A person may have purged the queue, and a
 * second message with the same id is the same command.
 */
export const sendAgainAfterMs = hourMs;

/**
 * Sends what is due and was not sent within the hour. It goes by what the ledger says is due now.
 * So nothing is missed if a tick, a schedule or every worker was down at that hour.
 */
export async function sendDueCommands(what: DueKind, due: readonly DueCommand[], deps: SendDeps): Promise<void> {
  const now = deps.now();
  const remembered = await deps.ledger.read<SentCommandsRow>(ledgerKeys.sentCommands(what));
  const sent = new Map<string, string>();

  const sending = doEach(due, async (one) => {
    const before = remembered?.sent[one.command.id];
    if (before !== undefined) sent.set(one.command.id, before);
    if (!(await needsSending(one, before, now, deps.ledger))) return;
    await send(one, deps);
    sent.set(one.command.id, now.toISOString());
  });
  await Promise.allSettled([sending]);
  await remember(what, remembered, sent, deps.ledger);
  await sending;
}

/** One with an outcome needs a person or nothing at all: a parked stop is not sent every hour. Nor is a start that was deferred again, or what a worker still tries. */
async function needsSending(
  { command }: DueCommand,
  before: string | undefined,
  now: Date,
  ledger: Ledger,
): Promise<boolean> {
  if (before !== undefined && now.getTime() - Date.parse(before) < sendAgainAfterMs) return false;
  const row = await ledger.read<CommandRow>(ledgerKeys.command(command.id));
  const isDeferredAgain = row?.deferred !== undefined && Date.parse(row.deferred.until) > now.getTime();
  // Its message is alive: a second one would double its requests each hour.
  const isTried = before !== undefined && now.getTime() - Date.parse(row?.attempt?.nextTryAt ?? '') < sendAgainAfterMs;
  return row?.outcome === undefined && !isDeferredAgain && !isTried;
}

async function send({ command, lateMs, sentence }: DueCommand, { commands, reports }: SendDeps): Promise<void> {
  await commands.send(JSON.stringify(command));
  const { id, campaignRunId, run } = command;
  reports.log[lateMs < lateSendAfterMs ? 'info' : 'warn'](logEvents.commandSent, sentence, {
    commandId: id,
    campaignRunId,
    run,
    lateMs,
  });
}

/** Written after the sends: a tick that dies between them sends once more, and the id makes that the same command. */
async function remember(
  what: DueKind,
  before: Stored<SentCommandsRow> | undefined,
  sent: ReadonlyMap<string, string>,
  ledger: Ledger,
): Promise<void> {
  const next = Object.fromEntries(sent);
  if (JSON.stringify(next) === JSON.stringify(before?.sent ?? {})) return;
  await ledger.write<SentCommandsRow>(before, {
    pk: ledgerKeys.sentCommands(what),
    kind: 'sent-commands',
    sent: next,
  });
}

/** A start that a blackout defers. */
export interface DeferredStart {
  readonly id: string;
  /** The run's name. */
  readonly run: string;
  readonly until: string;
  readonly blackout: string;
  /** The blackout has ended: the start is in its queue. */
  readonly isOver: boolean;
}

/** Sends each deferred start again once its blackout is over, as it was sent: it is the same command, and its validity counts from then. */
export async function sendDeferredStarts(deps: SendDeps): Promise<readonly DeferredStart[]> {
  const nowMs = deps.now().getTime();
  const due: DueCommand[] = [];
  const starts: DeferredStart[] = [];
  for (const { id, command, deferred } of await listOpenOfKind(deps.ledger, 'DEFERRED', 'command')) {
    if (deferred === undefined) continue;
    const { until, blackout } = deferred;
    const lateMs = nowMs - Date.parse(until);
    const sentence = `start of ${command.run} sent: the blackout ${blackout} is over`;
    if (lateMs >= 0) due.push({ command, lateMs, sentence });
    starts.push({ id, run: command.run ?? '', until, blackout, isOver: lateMs >= 0 });
  }
  await sendDueCommands('deferred-starts', due, deps);
  return starts;
}
