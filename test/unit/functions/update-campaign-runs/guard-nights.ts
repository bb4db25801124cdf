import type { ResolvedBlackout } from '../../../../shared/config/resolved-automation.ts';
import { type BindingItem, type CommandItem, type GuardItem, ledgerKeys } from '../../../../shared/ledger/items.ts';
import { setSwitch, type SwitchSubject } from '../../../../shared/ledger/switches.ts';
import type { CampaignRunCommand } from '../../../../shared/messages/campaign-run-command.ts';
import { aCommand, type createUpdateBench, nightlyIds } from './update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

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

/** Somebody freezes, thaws, pauses or resumes. */
export async function turn(bench: Bench, subject: SwitchSubject, isOn: boolean): Promise<void> {
  await setSwitch(bench.table, subject, { isOn, by: 'ann', reason: 'CHG-7', at: bench.now() });
}

const nightlyBinding = ledgerKeys.binding('nightly');

/** Every id of the nightly run was used by starts of long ago. */
export async function useUpIds({ table }: Pick<Bench, 'table'>): Promise<void> {
  const used = nightlyIds.map((campaignRunId) => ({
    campaignRunId,
    commandId: `of ${campaignRunId}`,
    at: '2026-11-01',
  }));
  const row: BindingItem = { pk: nightlyBinding, kind: 'binding', run: 'nightly', used, added: [] };
  await table.write<BindingItem>(undefined, row);
}

/** `autopilot bind nightly` with one id more. */
export async function bindId({ table }: Pick<Bench, 'table'>, id: string): Promise<void> {
  const row = await table.read<BindingItem>(nightlyBinding);
  const empty: BindingItem = { pk: nightlyBinding, kind: 'binding', run: 'nightly', used: [], added: [] };
  const { added, ...rest } = row ?? empty;
  await table.write<BindingItem>(row, { ...rest, added: [...added, id] });
}

export const commandOf = (bench: Bench, id: string) => bench.ledger.read<CommandItem>(ledgerKeys.command(id));

export const guardOf = (bench: Bench) => bench.ledger.read<GuardItem>(ledgerKeys.guard('chat-bot'));

/** Starts of November that count. */
export const usedOf = async (bench: Bench) =>
  (await guardOf(bench))?.startsOfMonth?.['2026-11']?.['chat-bot']?.length ?? 0;
