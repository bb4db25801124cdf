import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import { monthOf } from '#shared/ledger/rows/target-row.ts';
import type { Previewed } from '#shared/messages/questions.ts';
import { runNamed } from '../_runs/decide/rows.ts';
import type { PlanDeps } from './planned-world.ts';
import { budgetOf, readIdsOf } from './pool-ids.ts';

/** The rows as the commands so far left them, and the configuration. */
type Known = Pick<PlanDeps, 'config'> & { readonly ledger: Pick<Ledger, 'read' | 'readMany'> };

/**
 * A planned command as the answer shows it: its row, its place in the timeline and what it sent.
 * @returns `undefined` if it has neither an outcome nor an end of its blackout: then nothing is known of it
 */
export async function previewedOf(
  row: CommandRow,
  { at, requests }: { readonly at: Date; readonly requests: Previewed['requests'] },
  known: Known,
): Promise<Previewed | undefined> {
  const { command, verdicts = [] } = row;
  const ended = endOf(row);
  if (ended === undefined) return undefined;
  const isStart = command.action === 'start';
  const configured = isStart ? runNamed(command.run, known.config) : undefined;
  return {
    id: command.startId ?? command.id,
    at: at.toISOString(),
    action: isStart ? 'start' : 'stop',
    run: await nameOfRun(command, known),
    origin: command.origin,
    ...ended,
    detail: detailOf(row),
    verdicts: verdicts.map(({ guard, verdict, detail }) => ({ guard, verdict, detail })),
    requests,
    stopDueAt: row.facts?.plansStop === true ? row.facts.endsAt : undefined,
    ...runOf(row, configured),
    ...(isStart ? await leftAfter(row, configured, known) : {}),
  };
}

/** The run that a command is about, when it begins and which runs end. */
function runOf(
  { outcome, facts, campaignRunId, startAt, stops = {} }: CommandRow,
  run: Pick<ResolvedRun, 'campaign'> | undefined,
): Pick<Previewed, 'campaign' | 'campaignRunId' | 'effectAt' | 'inFlightUntil' | 'ends'> {
  const campaign = run?.campaign ?? facts?.campaign;
  if (outcome?.kind !== 'applied') return { campaign };
  const stopped = Object.entries(stops).flatMap(([id, { how }]) => (how === 'stopped' ? [id] : []));
  const ends = stopped.length === 0 ? undefined : stopped;
  return { campaign, campaignRunId, effectAt: startAt ?? facts?.due, inFlightUntil: facts?.endsAt, ends };
}

function endOf({ outcome, deferred }: CommandRow): Pick<Previewed, 'outcome' | 'reason' | 'until'> | undefined {
  if (outcome === undefined) return deferred && { outcome: 'deferred', until: deferred.until };
  return outcome.kind === 'ignored' ? undefined : { outcome: outcome.kind, reason: outcome.reason };
}

/** What is applied is shown by its requests. */
function detailOf({ command, outcome, verdicts = [] }: CommandRow): string | undefined {
  if (outcome === undefined) return verdicts.find(({ verdict }) => verdict === 'defer')?.detail;
  if (outcome.kind !== 'applied') return outcome.detail;
  return command.startId && 'planned by its start';
}

/** A planned stop names its run by uuid. */
async function nameOfRun(
  { run, campaignRunId = '' }: CommandRow['command'],
  { ledger }: Known,
): Promise<string | undefined> {
  return run ?? (await ledger.read<IdRow>(ledgerKeys.runId(campaignRunId)))?.run;
}

/** Ids and starts of the month that are left after a start, if it uses any. */
async function leftAfter(
  { outcome, facts }: CommandRow,
  run: ResolvedRun | undefined,
  { config, ledger }: Known,
): Promise<Pick<Previewed, 'idsLeft' | 'startsLeft'>> {
  if (outcome?.reason === 'NO_RUN_LEFT') return { idsLeft: 0 };
  if (outcome?.kind !== 'applied' || run === undefined || facts === undefined) return {};
  const { used, startsPerMonth } = await budgetOf(run, monthOf(new Date(facts.due), config.timezone), ledger);
  const startsLeft = run.guards.startsPerMonth === undefined ? undefined : startsPerMonth - used;
  // A pool is filled again by the next start.
  if (run.pool !== undefined) return { startsLeft };
  const { free } = await readIdsOf(run, { ledger, now: () => new Date(facts.due) });
  return { idsLeft: free.length, startsLeft };
}
