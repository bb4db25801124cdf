import type { Ledger } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { SendDeps } from './deps.ts';
import { type DueCommand, sendDueCommands } from './send-due-commands.ts';

/** A start that a blackout defers. */
export interface DeferredStart {
  readonly id: string;
  /** The run's name, or the uuid of an unconfigured run. */
  readonly run: string;
  readonly until: string;
  readonly blackout: string;
  /** The blackout has ended: the start is in its queue. */
  readonly isOver: boolean;
}

type DeferredRow = CommandRow & Required<Pick<CommandRow, 'deferred'>>;

/** Sends each deferred start again once its blackout is over, as it was sent: it is the same command, and its validity counts from then. */
export async function sendDeferredStarts(deps: SendDeps): Promise<readonly DeferredStart[]> {
  const now = deps.now();
  const rows = await readDeferred(deps.ledger);
  const due = rows.map((row) => dueStartOf(row, now)).filter((start) => start !== undefined);
  await sendDueCommands('deferred-starts', due, deps);
  return rows.map((row) => ({
    id: row.id,
    run: row.command.run ?? row.command.campaignRunId ?? '',
    ...row.deferred,
    isOver: dueStartOf(row, now) !== undefined,
  }));
}

/** All of them, the one that is due first at the head. */
async function readDeferred(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly DeferredRow[]> {
  const rows: DeferredRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.listOpen('DEFERRED', cursor === undefined ? {} : { cursor });
    rows.push(
      ...page.items.filter(
        (row): row is typeof row & DeferredRow => row.kind === 'command' && row.deferred !== undefined,
      ),
    );
    cursor = page.next;
  } while (cursor !== undefined);
  return rows;
}

function dueStartOf({ command, deferred }: DeferredRow, now: Date): DueCommand | undefined {
  const lateMs = now.getTime() - Date.parse(deferred.until);
  if (lateMs < 0) return undefined;
  const about = command.run ?? command.campaignRunId;
  return { command, lateMs, sentence: `start of ${about} sent: the blackout ${deferred.blackout} is over` };
}
