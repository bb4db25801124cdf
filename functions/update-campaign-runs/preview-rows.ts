import type { ResolvedRun } from '../../shared/config/resolved-automation.ts';
import type { CampaignReading } from '../../shared/ledger/campaign-reading.ts';
import type { BindingItem, GuardItem } from '../../shared/ledger/items.ts';
import type { CampaignRunCommand, Generation } from '../../shared/messages/campaign-run-command.ts';
import { idsToStop, newBinding, noteStop, useId, withLive, withoutLive } from './binding-rows.ts';
import { deferGuard, freeGuard, type ReservedStart, reserveGuard } from './guard-rows.ts';
import type { Outlook } from './preview-outlook.ts';
import type { RunPolicy } from './run-policy.ts';

/** Copies of the rows, as the commands of a preview would leave them one after the other. */
export interface PreviewRows {
  readonly guards: Map<string, GuardItem>;
  readonly bindings: Map<string, BindingItem>;
  readonly campaigns: Map<string, CampaignReading>;
  /** Runs that go on, by id, each with the start that its planned stop belongs to. */
  readonly running: Map<string, string | undefined>;
}

/** A start that nothing is against. */
export interface PreviewedStart extends ReservedStart {
  readonly command: CampaignRunCommand;
  readonly policy: RunPolicy;
  /** Unused ids that remain after this one; absent where its run is started again and again. */
  readonly idsLeft?: number;
}

/** The rows as they are now. */
export function previewRows({ guards, bindings, campaigns, runsInFlight }: Outlook): PreviewRows {
  return {
    guards: new Map(guards),
    bindings: new Map(bindings),
    campaigns: new Map(campaigns),
    running: new Map(runsInFlight.map((row) => [row.campaignRunId, row.stopDue?.commandId])),
  };
}

/** Notes a stop by the run's name, and answers the ids that it is about. */
export function stopNamed(
  name: string,
  stop: Generation,
  run: Pick<ResolvedRun, 'pool'> | undefined,
  rows: PreviewRows,
): readonly string[] {
  const noted = noteStop(rows.bindings.get(name) ?? newBinding(name), stop);
  rows.bindings.set(name, noted);
  return idsToStop(noted, run);
}

/** Takes the id, reserves the campaign and lets the run go on: what the worker writes around the PATCH of a start. */
export function beginRun(start: PreviewedStart, rows: PreviewRows): void {
  const { command, policy, campaignRunId, times, now } = start;
  const { guards, run } = policy;
  rows.guards.set(guards.target, reserveGuard(rows.guards.get(guards.target), start));
  rows.running.set(campaignRunId, times.stopDueAt === undefined ? undefined : command.id);
  if (run === undefined) return;
  const binding = rows.bindings.get(run.name) ?? newBinding(run.name);
  const isListed = run.pool.kind === 'list';
  const taken = isListed ? useId(binding, campaignRunId, command.id, now) : withLive(binding, campaignRunId);
  rows.bindings.set(run.name, taken);
}

/** The campaign reads differently after a start; not where nothing is sent. */
export function showRun({ policy, times }: PreviewedStart, { campaigns }: PreviewRows): void {
  const { campaign } = policy;
  if (campaign !== undefined) campaigns.set(campaign, { ...campaigns.get(campaign), lastRunAt: times.effectAt });
}

/** Notes the newest start of a run that a blackout puts off. */
export function deferRun(
  { command, policy }: Pick<PreviewedStart, 'command' | 'policy'>,
  run: string,
  rows: PreviewRows,
): void {
  const { target } = policy.guards;
  rows.guards.set(target, deferGuard(rows.guards.get(target), target, run, command));
}

/** The run is over: its campaign is free, and no stop by name is about it any more. */
export function endRun(campaignRunId: string, rows: PreviewRows): void {
  rows.running.delete(campaignRunId);
  for (const [name, guard] of rows.guards) {
    rows.guards.set(
      name,
      freeGuard(guard, (one) => one.campaignRunId === campaignRunId),
    );
  }
  for (const [run, binding] of rows.bindings) {
    if (binding.live?.includes(campaignRunId) === true) rows.bindings.set(run, withoutLive(binding, campaignRunId));
  }
}
