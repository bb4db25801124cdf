/** What `status` tells of work in flight as fields, beside its sentence. Pure. */
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { RunInFlight } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { ReconcileRow, RecordedSilence } from '#shared/ledger/rows/reconcile-row.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { campaignHeldBy } from '#shared/ledger/switches.ts';
import { silenceMeaning } from '#shared/vocabulary/silence-reasons.ts';
import { nextOccurrence, scheduledCommand } from '../plan/schedule-occurrences.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { readStageConfig, type StageConfig } from '../stage/stage-config.ts';

/** A run in flight. */
export interface RunFacts {
  readonly run?: string;
  readonly startCommandId: string;
  /** From then on no start is held back by it, if nothing stops it before. */
  readonly inFlightUntil: string;
}

/** When a run in flight is stopped. */
export interface RunStop {
  readonly endsAt: string;
  readonly endsBy: { readonly kind: 'planned-stop' } | { readonly kind: 'schedule'; readonly name: string };
}

/** The first stop of a run in flight: its start planned one, and a schedule may stop it before. `undefined` if none is to come. Pure. */
export function firstStop(
  { entry: { run, plansStop, endsAt } }: RunInFlight,
  schedules: readonly DeployedSchedule[],
  now: Date,
): RunStop | undefined {
  const scheduled = schedules.flatMap((schedule): RunStop[] => {
    const command = schedule.isEnabled ? scheduledCommand(schedule, now) : undefined;
    if (command?.action !== 'stop' || command.run !== run) return [];
    const next = nextOccurrence(schedule, now);
    return next === undefined
      ? []
      : [{ endsAt: next.toISOString(), endsBy: { kind: 'schedule', name: schedule.name } }];
  });
  const planned: RunStop[] =
    plansStop && Date.parse(endsAt) > now.getTime() ? [{ endsAt, endsBy: { kind: 'planned-stop' } }] : [];
  return [...planned, ...scheduled].toSorted((a, b) => Date.parse(a.endsAt) - Date.parse(b.endsAt))[0];
}

/** A start that waits for the end of a blackout. */
export interface DeferredFacts {
  readonly run?: string;
  readonly askedAt: string;
  readonly deferred: NonNullable<CommandRow['deferred']>;
}

/** The fields of a start that waits for the end of a blackout; none for other work. */
export function deferredFacts(row: Stored): DeferredFacts | undefined {
  if (row.kind !== 'command' || row.deferred === undefined) return undefined;
  const { run, issuedAt } = row.command;
  return { run, askedAt: issuedAt, deferred: row.deferred };
}

/** A schedule that starts nothing, and why. */
export interface SilentSchedule extends Omit<RecordedSilence, 'first' | 'silentSince' | 'toldAt' | 'detail'> {
  readonly name: string;
  /** The configured run that it starts, and its campaign, as far as they are known. */
  readonly run?: string | undefined;
  readonly campaign?: string | undefined;
  /** The first occurrence without a start. */
  readonly since: string;
  readonly meaning: string;
}

interface Seen {
  readonly schedules: readonly DeployedSchedule[];
  readonly now: Date;
  readonly campaignOf: CampaignOf;
}

/** The campaign of a configured run. `undefined`: the stage did not say. */
export type CampaignOf = ((run: string) => string | undefined) | undefined;

/** The silent schedules as the reconciler judged them last, some minutes ago at most. Pure. */
export function silentSchedules(row: ReconcileRow | undefined, seen: Seen): readonly SilentSchedule[] {
  return Object.entries(row?.silent ?? {}).map(
    ([name, { missed, first: since, last, endedAt, reason, lastStartAt }]) => {
      const schedule = seen.schedules.find((one) => one.name === name);
      const run = schedule && scheduledCommand(schedule, seen.now)?.run;
      const campaign = run === undefined ? undefined : seen.campaignOf?.(run);
      const meaning = silenceMeaning(reason);
      return { name, run, campaign, missed, since, last, endedAt, lastStartAt, reason, meaning };
    },
  );
}

/** Asks the stage only if a campaign matters: a pause of one, an alarm, or the budget that left a schedule silent. `undefined`: it did not answer. */
export async function readConfigured(
  row: ReconcileRow | undefined,
  switches: readonly SwitchRow[],
  deps: OperatorDeps,
): Promise<StageConfig | undefined> {
  const isBudget = Object.values(row?.silent ?? {}).some(({ reason }) => reason === 'BUDGET');
  if (!isBudget && !switches.some((one) => campaignHeldBy(one) !== undefined)) return { runs: {} };
  return readStageConfig(deps).catch(() => undefined);
}

/** Finds the campaign of a run in the configuration. */
export function campaignOfRun(config: StageConfig | undefined): CampaignOf {
  return config && ((name) => Object.values(config.runs).find((run) => run.name === name)?.campaign);
}
