import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { InFlight, TargetRow } from '#shared/ledger/rows/target-row.ts';
import { UsageError } from '../errors.ts';
import { readHistory, runIdOf } from '../history/history.ts';
import { type RunSubject, runSubject } from '../runs/run-ids.ts';

/** A start of a run, with its entry among the runs in flight. */
export interface FoundStart {
  readonly command: Stored<CommandRow>;
  /** The configured run, if it is one. */
  readonly run?: string;
  /** Absent if the start never got as far as an id, or if its run has ended. */
  readonly entry?: InFlight;
}

/** What became of a start: it was made, it is not known whether it was, or it was not. */
export type StartEffect = 'made' | 'unknown' | 'none';

/**
 * Finds the start that a person means: the command of that id, or the latest start of a run. A
 * start that was sent comes before any other.
 * @param word - a configured run, a run's uuid, or a command's id
 */
export async function findStart(word: string, ledger: Ledger): Promise<FoundStart> {
  return (await startOfId(word, ledger)) ?? latestStart(runSubject(word), word, ledger);
}

async function startOfId(id: string, ledger: Ledger): Promise<FoundStart | undefined> {
  const command = await ledger.read<CommandRow>(ledgerKeys.command(id));
  if (command === undefined) return undefined;
  const { action } = command.command;
  if (action !== 'start') {
    const about = runIdOf(command) ?? command.command.run;
    throw new UsageError(`evidence is about a start, and ${id} is the ${action} of a run`, {
      command: about === undefined ? undefined : ['autopilot', 'evidence', about],
    });
  }
  return withEntry(command, ledger);
}

async function latestStart(subject: RunSubject, word: string, ledger: Ledger): Promise<FoundStart> {
  let latest: Stored<CommandRow> | undefined;
  for await (const { row } of readHistory(ledger, { run: subject, withPending: true })) {
    if (row.command.action !== 'start') continue;
    // Of a start without an outcome only the runs in flight tell whether a request left.
    const found = row.outcome === undefined ? await withEntry(row, ledger) : undefined;
    if (effectOf(row, found?.entry) !== 'none') return found ?? withEntry(row, ledger);
    latest ??= row;
  }
  if (latest === undefined) throw new UsageError(`no start of ${word} is on record (kept for 400 days)`);
  return withEntry(latest, ledger);
}

async function withEntry(command: Stored<CommandRow>, ledger: Ledger): Promise<FoundStart> {
  const { target } = command;
  const row = target === undefined ? undefined : await ledger.read<TargetRow>(ledgerKeys.target(target));
  const entry = row?.runs.find(({ startId }) => startId === command.id);
  return { command, run: command.command.run ?? entry?.run, entry };
}

/**
 * What became of a start. Its entry tells of a start whose command has no outcome yet. A start that
 * may have run stays unproven, with any later outcome. Pure.
 */
export function effectOf(command: CommandRow, entry?: InFlight): StartEffect {
  const { outcome, campaignRunId, mayHaveRun, isObserved } = command;
  if (isObserved === true) return 'none';
  if (outcome?.kind === 'applied') return 'made';
  // Once a stop is settled the entry is gone; the row holds its id until the start has its outcome.
  const isSent = entry !== undefined || (outcome === undefined && campaignRunId !== undefined);
  return isSent || mayHaveRun !== undefined ? 'unknown' : 'none';
}
