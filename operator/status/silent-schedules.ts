import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { SilenceRow } from '#shared/ledger/rows/reconcile-row.ts';
import type { SwitchRow } from '#shared/ledger/switches.ts';
import { type SilenceReason, silenceMeaning, silenceNextStep } from '#shared/vocabulary/silence-reasons.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { commandAt, nextOccurrence } from '../plan/occurrences.ts';
import { readStageConfig } from '../stage/stage-config.ts';
import { liftingLine } from '../switches/switches.ts';

/** A schedule that starts nothing, why, and what to do. */
export interface SilentSchedule {
  readonly name: string;
  /** Occurrences in a row without a start, and the first of them. */
  readonly missed: number;
  readonly since: string;
  readonly lastStartAt?: string | undefined;
  /** Of the last of them. */
  readonly reason: SilenceReason;
  readonly meaning: string;
  readonly next: string;
  /** The freeze or pause that held it back is over. @default a person has to act */
  readonly startsAgain?: true | undefined;
}

/** The stage as it is now. */
interface Seen {
  readonly schedules: readonly DeployedSchedule[];
  /** Freezes and pauses that are on. */
  readonly switches: readonly SwitchRow[];
  readonly now: Date;
}

/** The silent schedules as the reconciler judged them last, some minutes ago at most; each next step fits the switches of now. */
export async function readSilent(seen: Seen, deps: OperatorDeps): Promise<readonly SilentSchedule[]> {
  const row = await (await deps.stage.ledger()).read<SilenceRow>(ledgerKeys.silence());
  const silent = Object.entries(row?.schedules ?? {}).flatMap(([name, { missed, silentSince, startedAt }]) =>
    missed === undefined || silentSince === undefined ? [] : [{ name, missed, startedAt }],
  );
  const campaigns = await readCampaigns(
    silent.map(({ missed }) => missed.reason),
    seen,
    deps,
  );
  return silent.map(({ name, missed: { count, first, reason }, startedAt }) => ({
    name,
    missed: count,
    since: first,
    lastStartAt: startedAt,
    reason,
    meaning: silenceMeaning(reason),
    ...nextStep({ name, reason, campaigns }, seen),
  }));
}

/** The campaign of each configured run. */
type Campaigns = (run: string) => string | undefined;

/** Asks the stage only if it matters: a schedule was held back, and a campaign is paused now. `undefined`: the stage did not say. */
async function readCampaigns(
  reasons: readonly SilenceReason[],
  { switches }: Seen,
  deps: OperatorDeps,
): Promise<Campaigns | undefined> {
  if (!reasons.some(isHeldBack) || !switches.some(({ scope }) => scope === 'campaign')) return () => undefined;
  try {
    const runs = Object.values((await readStageConfig(deps)).runs);
    return (name) => runs.find((run) => run.name === name)?.campaign;
  } catch {
    return undefined;
  }
}

function isHeldBack(reason: SilenceReason): boolean {
  return reason === 'FROZEN' || reason === 'PAUSED';
}

/** The remedy of the reason, or what the switches of now say of a schedule that was frozen or paused. Pure. */
function nextStep(
  silent: Pick<SilentSchedule, 'name' | 'reason'> & { readonly campaigns: Campaigns | undefined },
  { schedules, switches, now }: Seen,
): Pick<SilentSchedule, 'next' | 'startsAgain'> {
  const { name, reason, campaigns } = silent;
  if (!isHeldBack(reason) || campaigns === undefined) return { next: silenceNextStep(reason) };
  const schedule = schedules.find((one) => one.name === name);
  if (schedule === undefined) return { next: silenceNextStep('DELETED') };
  if (!schedule.isEnabled) return { next: silenceNextStep('DISABLED') };
  const campaign = campaigns(runOf(schedule, now) ?? '');
  const on = switches.find(
    ({ scope, name: of }) => scope === 'stage' || of === (scope === 'campaign' ? campaign : name),
  );
  if (on !== undefined) return { next: liftingLine(on) };
  const time = nextOccurrence(schedule, now);
  const over = `nothing: the ${reason === 'FROZEN' ? 'freeze' : 'pause'} is over, and it starts again by itself`;
  return { next: `${over} at ${time === undefined ? 'its next time' : time.toISOString()}`, startsAgain: true };
}

/** The configured run that a schedule starts. */
function runOf(schedule: DeployedSchedule, now: Date): string | undefined {
  const command = commandAt(schedule, now);
  const run: unknown = typeof command === 'object' && command !== null ? Reflect.get(command, 'run') : undefined;
  return typeof run === 'string' ? run : undefined;
}
