import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { resolveRepeat } from '#shared/ledger/resolve-parked.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { GuardRow } from '#shared/ledger/rows/guard-row.ts';
import { freeIds, newRunIdPool, type RunIdPoolRow, withUsed } from '#shared/ledger/rows/run-id-pool-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { setSwitch, type SwitchSubject } from '#shared/ledger/switches.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { aCommand, type createUpdateBench, nightlyIds } from './update-bench.ts';

type Bench = Pick<ReturnType<typeof createUpdateBench>, 'ledger' | 'table' | 'now' | 'deliver'>;

export const hours = (count: number) => count * 3_600_000;

/** A start of the smoke run at ten. */
export const atTen = (fields: Partial<CampaignRunCommand> = {}) => aCommand({ id: 'at-ten', ...fields });

/** A start of the nightly run, whose ids are listed, at ten. */
export const nightly = (id: string, fields: Partial<CampaignRunCommand> = {}) =>
  aCommand({ id, run: 'nightly', ...fields });

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
  const used = nightlyIds.reduce((pool, id) => withUsed(pool, id, `of ${id}`), newRunIdPool('nightly'));
  await table.write<RunIdPoolRow>(undefined, { ...used, live: [] });
}

/** `autopilot bind nightly` with one more id. */
export async function bindId({ table }: Pick<Bench, 'table'>, id: string): Promise<void> {
  const row = await table.read<RunIdPoolRow>(ledgerKeys.runIdPool('nightly'));
  const pool = row ?? newRunIdPool('nightly');
  await table.write<RunIdPoolRow>(row, { ...pool, added: [...pool.added, id] });
}

/** The ids that starts of the nightly run have not used. */
export async function freeIdsOf({ ledger }: Pick<Bench, 'ledger'>): Promise<readonly string[]> {
  return freeIds(await ledger.read<RunIdPoolRow>(ledgerKeys.runIdPool('nightly')), nightlyIds);
}

export const commandOf = (bench: Pick<Bench, 'ledger'>, id: string) =>
  bench.ledger.read<CommandRow>(ledgerKeys.command(id));

export const outcomeOf = async (bench: Pick<Bench, 'ledger'>, id: string): Promise<RecordedOutcome | undefined> =>
  (await commandOf(bench, id))?.outcome;

/** A person looked at the gateway and orders the repeat of a parked command. */
export async function approveRepeat(bench: Pick<Bench, 'ledger' | 'now'>, id: string, at = bench.now()): Promise<void> {
  const row = await commandOf(bench, id);
  if (row === undefined) throw new Error(`no row of ${id}`);
  const resolved = resolveRepeat(row, { by: 'ada', reason: 'looked', at });
  if (!resolved.ok) throw new Error(resolved.problem);
  await bench.ledger.write<CommandRow>(row, resolved.row);
}

const guardOf = (bench: Pick<Bench, 'ledger'>) => bench.ledger.read<GuardRow>(ledgerKeys.guard('chat-bot'));

/** The runs of the campaign that have a reservation. */
export const reservedOf = async (bench: Pick<Bench, 'ledger'>): Promise<readonly string[]> =>
  ((await guardOf(bench))?.reservations ?? []).map(({ campaignRunId }) => campaignRunId);

/** Starts of November that count. */
export const usedOf = async (bench: Pick<Bench, 'ledger'>) =>
  (await guardOf(bench))?.startsOfMonth?.['2026-11']?.['chat-bot']?.length ?? 0;

/** The planned stops of all runs in flight, as the watcher finds them. */
export async function plannedStopsOf({ ledger, now }: Pick<Bench, 'ledger' | 'now'>) {
  const runs = await readRunsInFlight(ledger, now());
  return runs.flatMap(({ row: { campaignRunId }, start: { startId, plannedStop } }) =>
    plannedStop === undefined ? [] : [{ campaignRunId, startId, ...plannedStop }],
  );
}

/** What the watcher does each minute: every planned stop whose time has come is delivered. */
export async function deliverDueStops(bench: Bench): Promise<void> {
  for (const { campaignRunId, startId, at } of await plannedStopsOf(bench)) {
    if (Date.parse(at) > bench.now().getTime()) continue;
    await bench.deliver(dueStop({ campaignRunId, startId, at }));
  }
}

/** The planned stop of a start, as the watcher sends it. */
export function dueStop(planned: {
  readonly campaignRunId: string;
  readonly startId: string;
  readonly at: string;
}): CampaignRunCommand {
  const { campaignRunId, startId, at } = planned;
  return {
    version: 1,
    id: commandIds.dueStop(campaignRunId, at, startId),
    action: 'stop',
    campaignRunId,
    issuedAt: at,
    plannedBy: { startId, at },
    origin: { kind: 'watcher', name: 'watch-campaigns' },
    reason: `planned by its start (${startId}) for ${at}`,
  };
}
