import { plannedStopOf } from '#functions/_runs/own-stops.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { freeIds, newRunRow, type RunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import type { InFlight, TargetRow } from '#shared/ledger/rows/target-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { setSwitch, type SwitchSubject } from '#shared/ledger/switches.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { nightlyIds, aCommand, type UpdateBench } from './update-bench.ts';

type Bench = Pick<UpdateBench, 'ledger' | 'table' | 'now' | 'deliver'>;

export const minutes = (count: number) => count * 60_000;
export const hours = (count: number) => count * 3_600_000;

/** A start of the smoke run at ten. */
export const atTen = (fields: Partial<CampaignRunCommand> = {}) => aCommand({ id: 'at-ten', ...fields });

/** A start of the nightly run, whose ids are listed, at ten. */
export const nightly = (id: string, fields: Partial<CampaignRunCommand> = {}) =>
  aCommand({ id, run: 'nightly', ...fields });

/** A stop by the name of the smoke run, five minutes after ten. */
export const aStop = (fields: Partial<CampaignRunCommand> = {}) =>
  aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:05:00Z', ...fields });

export const operator = { kind: 'operator', name: 'ann' } as const;

/** A blackout between two instants. */
export function blackout(starts: 'skip' | 'defer', from: string, to: string): ResolvedBlackout {
  return { name: 'year-end', starts, window: { kind: 'once', from, to } };
}

/** An operator freezes, thaws, pauses or resumes. */
export async function turn(bench: Pick<Bench, 'table' | 'now'>, subject: SwitchSubject, isOn: boolean): Promise<void> {
  await setSwitch(bench.table, subject, { isOn, by: 'ann', reason: 'CHG-7', at: bench.now() });
}

/** Every id of the nightly run was used by starts of long ago. */
export async function useUpIds({ table }: Pick<Bench, 'table'>): Promise<void> {
  await table.write<RunRow>(undefined, nightlyIds.reduce(withUsed, newRunRow('nightly')));
}

/** `autopilot bind nightly` with one more id. */
export async function bindId({ table }: Pick<Bench, 'table'>, id: string): Promise<void> {
  const row = await table.read<RunRow>(ledgerKeys.run('nightly'));
  const named = row ?? newRunRow('nightly');
  await table.write<RunRow>(row, { ...named, bound: [...named.bound, id] });
}

/** The ids that starts of the nightly run have not used. */
export async function freeIdsOf({ ledger }: Pick<Bench, 'ledger'>): Promise<readonly string[]> {
  return freeIds(await ledger.read<RunRow>(ledgerKeys.run('nightly')), nightlyIds);
}

export const commandOf = (bench: Pick<Bench, 'ledger'>, id: string) =>
  bench.ledger.read<CommandRow>(ledgerKeys.command(id));

export const outcomeOf = async (bench: Pick<Bench, 'ledger'>, id: string): Promise<RecordedOutcome | undefined> =>
  (await commandOf(bench, id))?.outcome;

const targetOf = (bench: Pick<Bench, 'ledger'>) => bench.ledger.read<TargetRow>(ledgerKeys.target('chat-bot'));

/** The runs in flight of the campaign. */
export const inFlightOf = async (bench: Pick<Bench, 'ledger'>): Promise<readonly InFlight[]> =>
  (await targetOf(bench))?.runs ?? [];

/** Starts of November that count. */
export const usedOf = async (bench: Pick<Bench, 'ledger'>) =>
  (await targetOf(bench))?.startsOfMonth?.['2026-11']?.['chat-bot']?.length ?? 0;

/** The planned stops of all runs in flight, as the watcher makes them. */
export async function plannedStopsOf({ ledger }: Pick<Bench, 'ledger'>): Promise<readonly CampaignRunCommand[]> {
  const runs = await readRunsInFlight(ledger);
  return runs.flatMap(({ entry }) => (entry.plansStop ? [plannedStopOf(entry)] : []));
}

/** Delivers what the worker has sent to its own queue. */
export async function deliverSent({ sent, deliver }: Pick<UpdateBench, 'sent' | 'deliver'>): Promise<void> {
  for (const stop of sent.splice(0)) await deliver(stop);
}

/** What the watcher does each minute: every planned stop whose time has come is delivered. */
export async function deliverDueStops(bench: Bench): Promise<void> {
  for (const stop of await plannedStopsOf(bench)) {
    if (Date.parse(stop.issuedAt) <= bench.now().getTime()) await bench.deliver(stop);
  }
}
