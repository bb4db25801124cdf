import { type CommandItem, isObserved, ledgerKeys, observedPrefix, type RunItem } from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';
import { UsageError } from '../errors.ts';
import { readEither } from '../read-either.ts';
import { readHistory, runIdOf } from '../history.ts';
import type { RunSubject } from '../recorded-wish.ts';
import { runSubject } from '../run-subject.ts';

/** A start of a run, with the run's row as it is now. */
export interface FoundStart {
  readonly command: Stored<CommandItem>;
  /** The configured run, if it is one. */
  readonly run?: string;
  /** Absent where the start never got as far as an id. */
  readonly row?: Stored<RunItem>;
}

/** What became of a start: it was made, nobody knows whether it was, or it was not. */
export type StartEffect = 'made' | 'unknown' | 'none';

/**
 * Finds the start that a person means: the latest of a run that was sent (else the latest of any outcome), or the command of that id.
 * @param word - a configured run, a run's uuid, or a command's id
 * @param startId - one start of that run
 * @throws UsageError where there is none
 */
export async function findStart(word: string, startId: string | undefined, ledger: Ledger): Promise<FoundStart> {
  if (startId !== undefined) {
    const found = await startOfId(startId, ledger);
    if (found === undefined) throw new UsageError(`--start: no command ${startId} is on record (kept for 400 days)`);
    if (!isOfRun(found, runSubject(word))) throw new UsageError(`--start: ${startId} is no start of ${word}`);
    return found;
  }
  return (await startOfId(word, ledger)) ?? latestStart(runSubject(word), word, ledger);
}

async function startOfId(id: string, ledger: Ledger): Promise<FoundStart | undefined> {
  const command = await readEither<CommandItem>(ledger, ledgerKeys.command(id));
  if (command === undefined) return undefined;
  const { action } = command.command;
  if (action !== 'start') {
    const about = runIdOf(command) ?? command.command.run ?? 'RUN';
    throw new UsageError(`evidence is about a start, and ${id} is the ${action} of a run: autopilot evidence ${about}`);
  }
  return withRun(command, ledger);
}

async function latestStart(subject: RunSubject, word: string, ledger: Ledger): Promise<FoundStart> {
  let latest: Stored<CommandItem> | undefined;
  for await (const { row } of readHistory(ledger, { run: subject })) {
    if (row.command.action !== 'start') continue;
    if (effectOf(row) !== 'none') return withRun(row, ledger);
    latest ??= row;
  }
  if (latest === undefined) throw new UsageError(`no start of ${word} is on record (kept for 400 days)`);
  return withRun(latest, ledger);
}

async function withRun(command: Stored<CommandItem>, ledger: Ledger): Promise<FoundStart> {
  const campaignRunId = runIdOf(command);
  const prefix = isObserved(command) ? observedPrefix : '';
  const row =
    campaignRunId === undefined ? undefined : await ledger.read<RunItem>(`${prefix}${ledgerKeys.run(campaignRunId)}`);
  const run = command.command.run ?? row?.run;
  return { command, ...(run === undefined ? {} : { run }), ...(row === undefined ? {} : { row }) };
}

function isOfRun({ command, run }: FoundStart, wanted: RunSubject): boolean {
  return wanted.campaignRunId === undefined ? wanted.run === run : wanted.campaignRunId === runIdOf(command);
}

/** What became of a start; the run's row knows of one whose command has no outcome yet. Pure. */
export function effectOf(command: CommandItem, row?: RunItem): StartEffect {
  const { outcome, id, isObserved: wasOnlyObserved } = command;
  if (isObserved(command) || wasOnlyObserved === true) return 'none';
  if (outcome?.kind === 'applied' || row?.appliedStart === id) return 'made';
  return outcome?.reason === 'START_OUTCOME_UNKNOWN' || row?.inDoubt?.id === id ? 'unknown' : 'none';
}

/** Whether nothing has started the run after this start. Pure. */
export function isNewestStart({ appliedStart, inDoubt }: RunItem, { id }: CommandItem): boolean {
  return (inDoubt?.id ?? appliedStart) === id || appliedStart === id;
}
