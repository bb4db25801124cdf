import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';

import { closeRun, keysToClose, rowsToClose } from '#shared/ledger/close-run.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type GuardRow, monthOf, startsUsed } from '#shared/ledger/rows/guard-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { freeIds, type RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import { type RunRow, type SentStart, startOf } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { Previewed } from '#shared/messages/questions.ts';
import { apply } from '../_runs/apply.ts';
import { plannedStopCommand } from '../_runs/decide/decide-stop.ts';
import { readConfiguredRun } from '../_runs/run-policy.ts';
import type { PlanDeps } from './planned-world.ts';

/** How a planned command ended: its row, where it arrived and what it sent. */
export interface PreviewedEnd {
  readonly row: CommandRow;
  readonly at: Date;
  readonly requests: Previewed['requests'];
}

/** The rows as the commands so far left them, and the configuration. */
type Known = Pick<PlanDeps, 'config'> & { readonly ledger: Pick<Ledger, 'read' | 'readMany'> };

/**
 * A planned command as the answer shows it.
 * @returns `undefined` if it has neither an outcome nor an end of its blackout: then nothing is known of it
 */
export async function previewedOf(end: PreviewedEnd, known: Known): Promise<Previewed | undefined> {
  const { row, at, requests } = end;
  const { command, verdicts = [] } = row;
  const ended = endOf(row);
  if (ended === undefined) return undefined;
  // Updates are not previewed.
  const isStart = command.action === 'start';
  return {
    id: command.plannedBy?.startId ?? command.id,
    at: at.toISOString(),
    action: isStart ? 'start' : 'stop',
    run: await nameOfRun(command, known),
    origin: command.origin,
    ...ended,
    detail: detailOf(row),
    verdicts: verdicts.map(({ guard, verdict, detail }) => ({ guard, verdict, detail })),
    requests,
    stopDueAt: row.facts?.['stopDueAt'],
    ...runOf(row, isStart ? await readConfiguredRun(command, known.config, known.ledger) : undefined),
    ...(isStart ? await leftAfter(row, known) : {}),
  };
}

/** The run that a command is about, when it begins and which runs end. */
function runOf(
  { outcome, facts, campaignRunId, inFlightUntil, runVerdicts }: CommandRow,
  run: Pick<ResolvedRun, 'campaign'> | undefined,
): Pick<Previewed, 'campaign' | 'campaignRunId' | 'effectAt' | 'inFlightUntil' | 'ends'> {
  const campaign = run?.campaign ?? facts?.['campaign'];
  if (outcome?.kind !== 'applied') return { campaign };
  const stopped = Object.entries(runVerdicts ?? {}).flatMap(([id, { kind }]) => (kind === 'applied' ? [id] : []));
  const ends = stopped.length === 0 ? undefined : stopped;
  return { campaign, campaignRunId, effectAt: facts?.['effectAt'], inFlightUntil, ends };
}

function endOf({ outcome, deferred }: CommandRow): Pick<Previewed, 'outcome' | 'reason' | 'until'> | undefined {
  if (outcome === undefined) return deferred && { outcome: 'deferred', until: deferred.until };
  return outcome.kind === 'ignored' ? undefined : { outcome: outcome.kind, reason: outcome.reason };
}

/** What is applied is shown by its requests. */
function detailOf({ command, outcome, verdicts = [] }: CommandRow): string | undefined {
  if (outcome === undefined) return verdicts.find(({ verdict }) => verdict === 'defer')?.detail;
  if (outcome.kind !== 'applied') return outcome.detail;
  return command.plannedBy && `planned by its start (${command.plannedBy.startId})`;
}

/** A planned stop names its run by uuid. */
async function nameOfRun(
  { run, plannedBy, campaignRunId = '' }: CommandRow['command'],
  { ledger }: Known,
): Promise<string | undefined> {
  if (plannedBy === undefined) return run;
  return (await ledger.read<RunRow>(ledgerKeys.run(campaignRunId)))?.run;
}

/** Ids and starts of the month that are left after a start, if it uses any. */
async function leftAfter(
  { command, outcome, facts }: CommandRow,
  { config, ledger }: Known,
): Promise<Pick<Previewed, 'idsLeft' | 'startsLeft'>> {
  if (outcome?.reason === 'NO_RUN_LEFT') return { idsLeft: 0 };
  const effectAt = facts?.['effectAt'];
  const run = await readConfiguredRun(command, config, ledger);
  if (outcome?.kind !== 'applied' || run === undefined || effectAt === undefined) return {};
  return {
    idsLeft: await idsLeft(run, ledger),
    startsLeft: await startsLeft(run, monthOf(new Date(effectAt), config.timezone), ledger),
  };
}

async function idsLeft({ name, pool }: ResolvedRun, ledger: Known['ledger']): Promise<number | undefined> {
  if (pool.kind !== 'list') return undefined;
  return freeIds(await ledger.read<RunIdPoolRow>(ledgerKeys.runIdPool(name)), pool.campaignRunIds).length;
}

async function startsLeft(
  { campaign, guards }: ResolvedRun,
  month: string,
  ledger: Known['ledger'],
): Promise<number | undefined> {
  const { target, startsPerMonth } = guards;
  if (startsPerMonth === undefined) return undefined;
  return startsPerMonth - startsUsed(await ledger.read<GuardRow>(ledgerKeys.guard(target)), { month, campaign });
}

/** What `watch-campaigns` does in a plan: it sends planned stops, and closes runs that plan none. */

/** A command of the watcher, and when it comes; in milliseconds since the epoch. */
export interface WatcherCommand {
  readonly atMs: number;
  readonly command: CampaignRunCommand;
}

/** Planned stops of the runs that are in flight when a plan begins, without those that need a person. */
export async function armedStops(
  runs: readonly Stored<RunRow>[],
  ledger: Pick<Ledger, 'readMany'>,
  now: Date,
): Promise<readonly WatcherCommand[]> {
  const planned = runs.flatMap((row) => plannedStopOf(row.campaignRunId, startOf(row), now.getTime()));
  const rows = await ledger.readMany(planned.map(({ command }) => ledgerKeys.command(command.id)));
  return planned.filter(({ command }) => {
    const row = rows.get(ledgerKeys.command(command.id));
    return row?.kind !== 'command' || row.outcome === undefined;
  });
}

/** The planned stop of a start, now if it is overdue; none if the start plans none. */
export function plannedStopOf(
  campaignRunId: string,
  start: SentStart | undefined,
  nowMs: number,
): readonly WatcherCommand[] {
  if (start?.plannedStop === undefined) return [];
  const { at } = start.plannedStop;
  const command = plannedStopCommand(campaignRunId, start.startId, at);
  return [{ atMs: Math.max(Date.parse(at), nowMs), command }];
}

/** The watcher sends a planned stop only if its start still plans it; a start of the same run may have sent it a moment before. */
export async function isStillPlanned(
  { id, plannedBy, campaignRunId = '' }: CampaignRunCommand,
  ledger: Pick<Ledger, 'read'>,
): Promise<boolean> {
  if (plannedBy === undefined) return true;
  const row = await ledger.read<RunRow>(ledgerKeys.run(campaignRunId));
  const start = row && startOf(row);
  if (start?.startId === plannedBy.startId && start.plannedStop?.at === plannedBy.at) return true;
  return (await ledger.read<CommandRow>(ledgerKeys.command(id))) !== undefined;
}

/**
 * Closes a run if its `until` has passed and it plans no stop.
 * @returns whether it is idle now; a start without an outcome is never closed
 */
export async function closeIfOver(
  campaignRunId: string,
  ledger: Pick<Ledger, 'read' | 'readMany' | 'writeAll'>,
  now: Date,
): Promise<boolean> {
  const run = await ledger.read<RunRow>(ledgerKeys.run(campaignRunId));
  if (run === undefined || startOf(run) === undefined) return true;
  const changes = closeRun(rowsToClose(run, await ledger.readMany(keysToClose(run))), now);
  return changes !== undefined && (await apply(changes, { ledger })) !== 'row-changed';
}
