/** One run as every surface has it: in `--json`, in the answers of the console and in lines for people. */
import type { GuardName } from '#shared/vocabulary/reason-codes.ts';
import type { FindingKind } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { ZonedClock } from '../times/typed-times.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { runIdOf, readRowsOf, type RunRows } from './run-rows.ts';
import { type RunState, runState } from './run-state.ts';

/** A run as every surface has it. Instants are RFC 3339 in UTC; `says` has its times by the clock of the stage. */
export interface RunReport extends Omit<RunState, 'begun'> {
  /** The configured run. */
  readonly run: string;
  /** Its campaign, once it is or was in flight. */
  readonly campaign?: string | undefined;
  readonly campaignRunId?: string | undefined;
  /** Id of the start command. */
  readonly startId: string;
  /** Guards that its start overrode. */
  readonly overrode?: readonly GuardName[] | undefined;
  readonly findings?: readonly FindingKind[] | undefined;
}

/** Tells a run from its rows. Pure. */
export function runReport(facts: RunRows, clock: ZonedClock): RunReport {
  const { start } = facts;
  const { begun: _begun, ...state } = runState(facts, clock);
  const { run = '', override } = start.command;
  const about = { run, campaign: start.facts?.campaign, campaignRunId: runIdOf(start), startId: start.id };
  return { ...about, overrode: override?.guards, ...state };
}

/** The clock by which the sentences about the runs of a stage have their times. */
export async function stageClock({
  stage,
  now,
  zone,
}: Pick<OperatorDeps, 'stage' | 'now' | 'zone'>): Promise<ZonedClock> {
  const [at, { Timezone }] = await Promise.all([now(), stage.outputs()]);
  return { now: at, zone: zone ?? Timezone };
}

/** Reads how these starts stand, by their ids. */
export async function readRunReports(
  startIds: readonly string[],
  ledger: Pick<Ledger, 'readMany'>,
  clock: ZonedClock,
): Promise<readonly RunReport[]> {
  return (await readRowsOf(startIds, ledger)).map((rows) => runReport(rows, clock));
}

/** A run in one line, its name first: `nightly: runs since 22:00, stops 06:00`. */
export function runLine({ run, says }: Pick<RunReport, 'run' | 'says'>): string {
  return `${run}: ${says}`;
}
