import { isObserved, ledgerKeys, observedPrefix } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type RunRow, type SentStart, startOf } from '#shared/ledger/rows/run-row.ts';
import { UsageError } from '../errors.ts';
import { readHistory, runIdOf } from '../history/history.ts';
import { readEither } from '../outcomes/outcome-report.ts';
import { type RunSubject, runSubject } from '../runs/run-ids.ts';

/** A start of a run, with the run's row as it is now. */
export interface FoundStart {
  readonly command: Stored<CommandRow>;
  /** The configured run, if it is one. */
  readonly run?: string;
  /** Absent if the start never got as far as an id. */
  readonly row?: Stored<RunRow>;
}

/** What became of a start: it was made, it is not known whether it was, or it was not. */
export type StartEffect = 'made' | 'unknown' | 'none';

/**
 * Finds the start that a person means: the command of that id, or the latest start of a run. A
 * start that was sent comes before any other.
 * @param word - a configured run, a run's uuid, or a command's id
 * @param startId - one start of that run
 * @throws UsageError if there is none
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
  const command = await readEither<CommandRow>(ledger, ledgerKeys.command(id));
  if (command === undefined) return undefined;
  const { action } = command.command;
  if (action !== 'start') {
    const about = runIdOf(command) ?? command.command.run ?? 'RUN';
    throw new UsageError(`evidence is about a start, and ${id} is the ${action} of a run: autopilot evidence ${about}`);
  }
  return withRun(command, ledger);
}

async function latestStart(subject: RunSubject, word: string, ledger: Ledger): Promise<FoundStart> {
  let latest: Stored<CommandRow> | undefined;
  for await (const { row } of readHistory(ledger, { run: subject, withPending: true })) {
    if (row.command.action !== 'start') continue;
    // Of a start without an outcome only the row of its run knows whether a request left.
    const found = row.outcome === undefined ? await withRun(row, ledger) : undefined;
    if (effectOf(row, found?.row) !== 'none') return found ?? withRun(row, ledger);
    latest ??= row;
  }
  if (latest === undefined) throw new UsageError(`no start of ${word} is on record (kept for 400 days)`);
  return withRun(latest, ledger);
}

async function withRun(command: Stored<CommandRow>, ledger: Ledger): Promise<FoundStart> {
  const campaignRunId = runIdOf(command);
  const prefix = isObserved(command) ? observedPrefix : '';
  const row =
    campaignRunId === undefined ? undefined : await ledger.read<RunRow>(`${prefix}${ledgerKeys.run(campaignRunId)}`);
  const run = command.command.run ?? row?.run;
  return { command, run, row };
}

function isOfRun({ command, run }: FoundStart, wanted: RunSubject): boolean {
  return wanted.campaignRunId === undefined ? wanted.run === run : wanted.campaignRunId === runIdOf(command);
}

/**
 * What became of a start. The row of its run knows of a start whose command has no outcome yet. A
 * start that may have run stays unproven, with any later outcome. Pure.
 */
export function effectOf(command: CommandRow, row?: RunRow): StartEffect {
  const { outcome, id, mayHaveRun, isObserved: wasOnlyObserved } = command;
  if (isObserved(command) || wasOnlyObserved === true) return 'none';
  if (outcome?.kind === 'applied') return 'made';
  if (row !== undefined && heldStart(row, id) !== undefined) return isAccepted(row, id) ? 'made' : 'unknown';
  return mayHaveRun !== undefined || outcome?.reason === 'START_OUTCOME_UNKNOWN' ? 'unknown' : 'none';
}

/**
 * A start as the row of its run holds it: as its own, or as the one to which its stop or next start
 * returns. Pure.
 */
export function heldStart(row: RunRow | undefined, startId: string): SentStart | undefined {
  if (row === undefined) return undefined;
  const own = startOf(row);
  if (own?.startId === startId) return own;
  const before = 'before' in row && 'start' in row.before ? row.before.start : undefined;
  return before?.startId === startId ? before : undefined;
}

function isAccepted(row: RunRow, startId: string): boolean {
  if (row.state === 'running') return row.start.startId === startId;
  return 'before' in row && row.before.state === 'running' && row.before.start.startId === startId;
}
