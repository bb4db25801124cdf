/** What `status` tells of work in flight as fields, beside its sentence. Pure. */
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { RunInFlight } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { ReconcileRow } from '#shared/ledger/rows/reconcile-row.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { campaignHeldBy, type SwitchSubject } from '#shared/ledger/switches.ts';
import type { Step } from '#shared/text/step.ts';
import { isHeldBack, silenceMeaning, silenceNextStep, type SilenceReason } from '#shared/vocabulary/silence-reasons.ts';
import { nextOccurrence, scheduledCommand } from '../plan/schedule-occurrences.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { readStageConfig } from '../stage/stage-config.ts';
import { liftingStep } from '../switches/switches.ts';

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

/** A schedule that starts nothing, why, and what to do. */
export interface SilentSchedule {
  readonly name: string;
  /** The configured run that it starts, and its campaign, as far as they are known. */
  readonly run?: string | undefined;
  readonly campaign?: string | undefined;
  /** Occurrences in a row without a start, and the first of them. */
  readonly missed: number;
  readonly since: string;
  readonly lastStartAt?: string | undefined;
  /** Of the last of them. */
  readonly reason: SilenceReason;
  readonly meaning: string;
  readonly next: Step;
  /** The freeze or pause that blocks it now. */
  readonly heldBy?: SwitchSubject | undefined;
  /** The freeze or pause that blocked it has ended. @default it goes on starting nothing */
  readonly startsAgain?: true | undefined;
  /** When it starts again, if that is known. */
  readonly startsAgainAt?: string | undefined;
}

interface Seen {
  readonly schedules: readonly DeployedSchedule[];
  /** Freezes and pauses that are on. */
  readonly switches: readonly SwitchRow[];
  readonly now: Date;
  readonly campaignOf: CampaignOf;
}

/** The campaign of a configured run. `undefined`: the stage did not say. */
export type CampaignOf = ((run: string) => string | undefined) | undefined;

/** The silent schedules as the reconciler judged them last, some minutes ago at most; each next step fits the switches of now. Pure. */
export function silentSchedules(row: ReconcileRow | undefined, seen: Seen): readonly SilentSchedule[] {
  const { campaignOf } = seen;
  return Object.entries(row?.silent ?? {}).map(([name, { missed, first, reason, lastStartAt }]) => {
    const schedule = seen.schedules.find((one) => one.name === name);
    const run = schedule && scheduledCommand(schedule, seen.now)?.run;
    const campaign = run === undefined ? undefined : campaignOf?.(run);
    return {
      name,
      run,
      campaign,
      missed,
      since: first,
      lastStartAt,
      reason,
      meaning: silenceMeaning(reason),
      ...nextStep({ name, reason, campaign, isKnown: campaignOf !== undefined, schedule }, seen),
    };
  });
}

/** Asks the stage only if a campaign matters: a pause of one, or the budget that left a schedule silent. */
export async function readCampaignOf(
  row: ReconcileRow | undefined,
  switches: readonly SwitchRow[],
  deps: OperatorDeps,
): Promise<CampaignOf> {
  const isBudget = Object.values(row?.silent ?? {}).some(({ reason }) => reason === 'BUDGET');
  if (!isBudget && !switches.some((one) => campaignHeldBy(one) !== undefined)) return () => undefined;
  try {
    const runs = Object.values((await readStageConfig(deps)).runs);
    return (name) => runs.find((run) => run.name === name)?.campaign;
  } catch {
    return undefined;
  }
}

/** The remedy of the reason, or what the switches of now say of a schedule that was frozen or paused. Pure. */
function nextStep(
  silent: Pick<SilentSchedule, 'name' | 'reason' | 'campaign'> & {
    readonly isKnown: boolean;
    readonly schedule: DeployedSchedule | undefined;
  },
  { switches, now }: Seen,
): Pick<SilentSchedule, 'next' | 'heldBy' | 'startsAgain' | 'startsAgainAt'> {
  const { name, reason, campaign, isKnown, schedule } = silent;
  if (!isHeldBack(reason) || !isKnown) return { next: silenceNextStep(reason) };
  if (schedule === undefined) return { next: silenceNextStep('DELETED') };
  if (!schedule.isEnabled) return { next: silenceNextStep('DISABLED') };
  const on = switches.find(
    (one) => one.scope === 'stage' || (one.scope === 'schedule' ? one.name === name : campaignHeldBy(one) === campaign),
  );
  if (on !== undefined) {
    const heldBy = { scope: on.scope, name: on.name };
    return { next: liftingStep(on), heldBy };
  }
  const what = reason === 'FROZEN' ? 'freeze' : reason === 'PAUSED' ? 'pause' : 'hold by an alarm';
  return {
    next: { says: `Nothing to do: the ${what} has ended, and it starts again automatically at its next time.` },
    startsAgain: true,
    startsAgainAt: nextOccurrence(schedule, now)?.toISOString(),
  };
}
