import { type DeployedSchedule, findAll } from '#shared/aws/schedules.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type RunEndsRow, usualMs } from '#shared/ledger/results/run-ends-row.ts';
import { listSwitches } from '#shared/ledger/switches.ts';
import {
  mostPreviewed,
  type PreviewAnswer,
  previewAnswer,
  type Previewed,
  previewQuestion,
} from '#shared/messages/questions.ts';
import { askStage } from '../stage/ask-stage.ts';
import { readStageCalendar } from '../stage/stage-config.ts';
import {
  commandAt,
  irregularTimesOf,
  type Occurrences,
  occurrencesOf,
  type PlannedBlackout,
  plannedBlackouts,
  type PlannedEnd,
  withEnds,
} from './schedule-occurrences.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type IdsLeft, readSupplies } from './ids-left.ts';
import { type SwitchReport, toSwitchReport } from '../switches/switches.ts';

/** What a stage will do, as far as it is known now. */
export interface StagePlan extends Pick<PreviewAnswer, 'mode' | 'unread'> {
  readonly stage: string;
  readonly from: string;
  readonly until: string;
  readonly switches: readonly SwitchReport[];
  readonly commands: readonly PlannedCommand[];
  readonly clockChanges: readonly PlannedClockChange[];
  /** The stage's own zone; absent if the stage does not say it. */
  readonly timezone?: string;
  /** Every time that a blackout covers a part of the plan's time. */
  readonly blackouts: readonly PlannedBlackout[];
  /** The unused ids of each run as of now; absent if the stage does not say it. */
  readonly ids?: readonly IdsLeft[] | undefined;
  /** There are more occurrences than one question takes: nothing is known of those after this instant. */
  readonly cutAt?: string;
}

/** One command as it would end, with the zone of its schedule. */
export interface PlannedCommand extends Previewed, Partial<PlannedEnd> {
  readonly timezone: string;
  /** Of an applied start: when its run ends if it takes as long as the last ones of its name. */
  readonly expectedEnd?: string | undefined;
}

/** A local time of a schedule that a change of the clocks takes away, or brings twice. */
export interface PlannedClockChange {
  readonly schedule: string;
  readonly kind: 'skipped' | 'repeated';
  /** `2027-03-28 01:30`. */
  readonly local: string;
  readonly timezone: string;
}

/**
 * Asks the worker what it would do with everything that the schedules send until then. It begins
 * now, also if a later range is shown: what happens before decides what happens later.
 */
export async function readStagePlan(
  { from, until }: { readonly from: Date; readonly until: Date },
  deps: OperatorDeps,
): Promise<StagePlan> {
  const now = await deps.now();
  const [schedules, calendar, switches] = await Promise.all([
    deps.stage.schedules().then(findAll),
    readStageCalendar(deps),
    deps.stage.ledger().then(async (ledger) => listSwitches(ledger, now)),
  ]);
  const all = schedules.map((schedule) => occurrencesOf(schedule, { from: now, until, most: mostPreviewed + 1 }));
  const coming = commandsOf(all);
  const taken = coming.slice(0, mostPreviewed);
  const end = coming.length > taken.length ? (taken.at(-1)?.at ?? until) : until;
  const question = { ask: 'preview', commands: taken.map(({ command }) => command), until: end.toISOString() };
  const [answer, supplies] = await Promise.all([
    askStage(previewQuestion.parse(question), previewAnswer, deps),
    readSupplies(schedules, now, deps).catch(() => undefined),
  ]);
  const usual = await usualLengths(answer.commands, await deps.stage.acting());
  const zones = new Map(schedules.map(({ name, timezone }) => [name, timezone]));
  return {
    stage: deps.target.stage,
    from: from.toISOString(),
    until: until.toISOString(),
    mode: answer.mode,
    switches: switches.map((row) => toSwitchReport(row)),
    timezone: calendar.timezone,
    blackouts: plannedBlackouts(calendar.blackouts ?? [], { from, until }),
    commands: withEnds(answer.commands, end)
      .filter(({ at }) => Date.parse(at) >= from.getTime())
      .map((one) => ({
        ...one,
        timezone: zones.get(one.origin.name) ?? 'UTC',
        expectedEnd: expectedEnd(one, usual.get(one.run ?? '')),
      })),
    clockChanges: schedules.flatMap((schedule) => clockChangesOf(schedule, from, until)),
    unread: answer.unread,
    ids: supplies?.bindings,
    cutAt: end === until ? undefined : end.toISOString(),
  };
}

async function usualLengths(commands: readonly Previewed[], ledger: Ledger): Promise<ReadonlyMap<string, number>> {
  const starts = commands.filter(({ action }) => action === 'start');
  const names = [...new Set(starts.flatMap(({ run }) => (run === undefined ? [] : [run])))];
  const found = await Promise.all(
    names.map(async (name) => [name, usualMs(await ledger.read<RunEndsRow>(ledgerKeys.runEnds(name)))] as const),
  );
  return new Map(found.flatMap(([name, ms]) => (ms === undefined ? [] : [[name, ms] as const])));
}

function expectedEnd({ action, effectAt }: Previewed, usually: number | undefined): string | undefined {
  if (action !== 'start' || effectAt === undefined || usually === undefined) return undefined;
  return new Date(Date.parse(effectAt) + usually).toISOString();
}

function commandsOf(all: readonly Occurrences[]): readonly { readonly at: Date; readonly command: unknown }[] {
  return all
    .flatMap(({ schedule, at }) => at.map((instant) => ({ at: instant, command: commandAt(schedule, instant) })))
    .filter(({ command }) => command !== undefined)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** Watches fire every few minutes: none of them minds an hour. */
function clockChangesOf(schedule: DeployedSchedule, from: Date, until: Date): readonly PlannedClockChange[] {
  if (commandAt(schedule, new Date(0)) === undefined) return [];
  const irregular = irregularTimesOf(schedule, from, until);
  return irregular.map((one) => ({ schedule: schedule.name, ...one, timezone: schedule.timezone }));
}
