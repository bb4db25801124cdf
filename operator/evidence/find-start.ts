import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { UsageError } from '../errors.ts';
import type { AskingDeps } from '../stage/operator-deps.ts';
import { readHistory } from '../history/history.ts';
import { runIdOf } from '../run-state/run-rows.ts';
import { readRunRows, type RunRows } from '../run-state/run-rows.ts';
import { wasSent } from '../run-state/run-state.ts';
import { refuseUnknownRun, runSubject } from '../runs/run-ids.ts';

/**
 * Finds the start that a person means: the command of that id, or the latest start of a run. A
 * start that was sent comes before any other.
 * @param word - a configured run, a run's uuid, or a command's id
 */
export async function findStart(word: string, deps: AskingDeps): Promise<RunRows> {
  const ledger = await deps.stage.ledger();
  const start = (await startOfId(word, ledger)) ?? (await latestStart(word, ledger)) ?? (await noStart(word, deps));
  const [rows] = await readRunRows([start], ledger);
  if (rows === undefined) throw new Error('the rows of one start are one');
  return rows;
}

async function startOfId(id: string, ledger: Ledger): Promise<CommandRow | undefined> {
  const row = await ledger.read<CommandRow>(ledgerKeys.command(id));
  if (row === undefined || row.command.action === 'start') return row;
  const { action, run } = row.command;
  const about = runIdOf(row) ?? run;
  throw new UsageError(`evidence is about a start, and ${id} is the ${action} of a run`, {
    command: about === undefined ? undefined : ['autopilot', 'evidence', about],
  });
}

async function latestStart(word: string, ledger: Ledger): Promise<CommandRow | undefined> {
  let latest: CommandRow | undefined;
  for await (const { row } of readHistory(ledger, { run: runSubject(word), withPending: true })) {
    if (row.command.action !== 'start') continue;
    if (wasSent(row)) return row;
    latest ??= row;
  }
  return latest;
}

/** @throws UsageError that lists the runs there are, if the word is none of them */
async function noStart(word: string, deps: AskingDeps): Promise<never> {
  await refuseUnknownRun(runSubject(word), deps);
  throw new UsageError(`no start of ${word} is on record (kept for 400 days)`);
}
