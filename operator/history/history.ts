/** Commands in the order in which they ended: a walk of the index, newest first, that reads no further than it is asked to. */
import type { OpenState } from '#shared/ledger/rows/row-base.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { openRows } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { runIdOf } from '../run-state/run-rows.ts';

/** Where commands are that have an outcome or wait for a person or for the end of a blackout. */
const states: readonly OpenState[] = ['ENDED', 'PARKED', 'DEFERRED'];

/** Which commands a history is about; all of them by default. */
export interface HistoryRange {
  readonly run?: Pick<CampaignRunCommand, 'run' | 'campaignRunId'>;
  /** Ended at this instant or later. */
  readonly since?: Date;
  /** Ended before this instant. */
  readonly before?: Date;
  /** With the commands that were tried and have no outcome, each at its first try. */
  readonly withPending?: true;
}

/** A command, and the configured run that it was about, also if it named only an id. */
export interface EndedCommand {
  readonly row: Stored<CommandRow>;
  readonly run?: string;
}

/** Commands with what became of them, newest first; a deferred command stands at the end of its blackout. */
export async function* readHistory(
  ledger: Ledger,
  { run: wanted, since, before, withPending }: HistoryRange,
): AsyncGenerator<EndedCommand, void, undefined> {
  const range = {
    newestFirst: true,
    since: since?.toISOString(),
    until: before && new Date(before.getTime() - 1).toISOString(),
  } as const;
  const nameOf = createRunNames(ledger);
  const walked: readonly OpenState[] = withPending === true ? [...states, 'PENDING'] : states;
  for await (const row of mergedNewestFirst(walked.map((state) => openRows(ledger, state, range)))) {
    if (row.kind !== 'command') continue;
    const run = row.command.run ?? (await nameOf(row));
    if (isAbout(row, run, wanted)) yield { row, run };
  }
}

function isAbout(row: CommandRow, run: string | undefined, wanted: HistoryRange['run']): boolean {
  if (wanted === undefined) return true;
  const id = wanted.campaignRunId;
  // A stop by name is about each run that it has ended.
  return id === undefined ? wanted.run === run : id === runIdOf(row) || Object.hasOwn(row.stops ?? {}, id);
}

/** Several walks as one, each of them newest first. */
async function* mergedNewestFirst(walks: readonly AsyncGenerator<Stored, void>[]): AsyncGenerator<Stored, void> {
  const heads = await Promise.all(walks.map(async (walk) => ({ walk, next: await walk.next() })));
  for (;;) {
    const newest = heads
      .filter(({ next }) => next.done !== true)
      .reduce<(typeof heads)[number] | undefined>(
        (a, b) => (a === undefined || sinceOf(b) > sinceOf(a) ? b : a),
        undefined,
      );
    if (newest === undefined || newest.next.done === true) return;
    yield newest.next.value;
    newest.next = await newest.walk.next();
  }
}

function sinceOf({ next }: { readonly next: IteratorResult<Stored, void> }): string {
  return next.done === true ? '' : (next.value.openSince ?? '');
}

/** Names of the runs of ids, as the stops that are due name them: the row of the id knows, and each is read once. */
function createRunNames(ledger: Ledger): (row: CommandRow) => Promise<string | undefined> {
  const names = new Map<string, Promise<string | undefined>>();
  return async (row) => {
    const campaignRunId = runIdOf(row);
    if (campaignRunId === undefined) return undefined;
    const known = names.get(campaignRunId) ?? ledger.read<IdRow>(ledgerKeys.runId(campaignRunId)).then((id) => id?.run);
    names.set(campaignRunId, known);
    return known;
  };
}
